/**
 * A passkey for users who have signed in without one: on a page that they can skip, or by the browser alone. Who skips it is not asked
 * again in this browser for some time. The cookie for this contains a MAC of the user: it decides nothing about another account.
 */
import type { Request } from 'express';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import { internals } from '../../core/internals.js';
import { readCeremonies, writeCeremonies, type CeremonyCookie } from '../../http/ceremony-cookie.js';
import { html, type Html } from '../../html/html.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import { runCeremony } from '../ceremony.js';
import { form } from '../form.js';
import { icons } from '../icons.js';
import { definePage, goTo, type Next, type SessionVisit, type View, type Visit } from '../page.js';
import { arrive, leave } from './arrive.js';
import { accountHolderOf } from './signed-in.js';

const below = '/passkey';

export const passkeyOfferPage = definePage({
  path: ({ signIn }) => signIn + below,
  access: 'open',
  isOffered: ({ webauthn }) => webauthn !== null,
  async show(visit, attempt) {
    const caller = await accountHolderOf(visit);
    if (!caller) return goTo(visit.paths.signIn);
    const { claims, user } = caller.session;
    const isAsked = visit.offerPasskey && claims.act === undefined && (await canOffer(visit, user.id));
    return isAsked ? view(visit, attempt) : leave(visit);
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, features, session } = visit;
        const { id: userId } = session.user;
        const webauthn = features.webauthn!;
        return runCeremony(visit, values, {
          ceremony: 'create',
          start: () => webauthn.startRegistration(userId, context),
          async finish(answer) {
            await webauthn.finishRegistration({ userId, ...answer }, context);
            return leave(visit);
          },
        });
      },
    },
    later: {
      access: 'session',
      async submit(_values, visit) {
        skip(visit);
        return leave(visit);
      },
    },
  },
});

/** As `arrive`, by way of the page that offers a passkey. It decides whether it asks. */
export function arriveOrOffer(visit: Visit, result: SignInResult): Next {
  const next = arrive(visit, result);
  const isPasskey = result.method?.includes('passkey') === true;
  return next.isOutside && !isPasskey ? offerBefore(visit, next) : next;
}

/** Leads to the offer, and then to the page at which the sign-in arrives. */
export function offerBefore({ features, offerPasskey, paths }: Visit, next: Next): Next {
  if (!offerPasskey || !features.webauthn) return next;
  return goTo(`${paths.signIn}${below}?next=${encodeURIComponent(next.to)}`);
}

/**
 * Lets the script ask the browser for a passkey without a prompt, before it opens the next page: the browser creates one if its password
 * manager has just filled in the password. Only for a sign-in that is complete.
 */
export async function allowAutomaticPasskey(visit: Visit, { pending, user }: SignInResult): Promise<void> {
  const { authPath, automaticPasskeys, offers, req, res } = visit;
  if (!automaticPasskeys || !offers.webauthn || pending || req.headers['svc-pages'] === undefined) return;
  if (await canOffer(visit, user.id)) res.setHeader('Svc-Passkey', `${authPath}/passkeys/register`);
}

function view(visit: Visit, attempt: Attempt | null): View {
  const { paths, templates, texts } = visit;
  const { addTitle: title } = texts.account.passkeys;
  const action = paths.signIn + below;
  const lead = templates.message(visit, { title, lead: texts.signUp.passkeyLead, links: [] });
  const create: Html = form(visit, {
    action,
    attempt,
    isCeremony: true,
    submit: [icons.passkey, texts.signUp.createPasskey],
  });
  const later = form(visit, { action: `${action}/later`, submit: texts.verify.later, kind: 'plain' });
  const body = html`<noscript><p class="banner bad">${texts.errors.passkeyNeedsScript}</p></noscript> ${lead}
    ${create} ${later}`;
  return { title, body };
}

async function canOffer(visit: Visit, userId: string): Promise<boolean> {
  const { context, features, req } = visit;
  if (!features.webauthn || hasSkipped(visit, req, userId)) return false;
  const { credentials } = await features.webauthn.listCredentials(userId, { limit: 1 }, context);
  return credentials.length === 0;
}

const kind = 'passkey';
const answer = 'later';

/** Each entry is the MAC of a user: several users of a browser have skipped the offer. */
const cookie: CeremonyCookie = {
  name: 'svc_passkey_later',
  entry: /^[\w-]{43}$/,
  separator: '.',
  max: 8,
  ttlMs: 90 * 24 * 60 * 60_000,
};

function hasSkipped({ service }: Visit, req: Request, userId: string): boolean {
  const { formTokens } = service[internals];
  return readCeremonies(req, cookie).some((entry) => formTokens.isProof(userId, kind, answer, entry));
}

function skip({ req, res, service, session }: SessionVisit): void {
  const { formTokens } = service[internals];
  const entry = formTokens.issueProof(session.user.id, kind, answer);
  const others = readCeremonies(req, cookie).filter((each) => each !== entry);
  writeCeremonies(service[internals], req, res, cookie, [...others, entry]);
}
