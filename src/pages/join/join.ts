/** An invite to an organization, by the link in its mail. */
import { maskEmailAddress } from '../../domain/email-address.js';
import { isServiceError } from '../../errors/service-error.js';
import type { Authenticated } from '../../http/authenticate.js';
import { endBrowserSession } from '../../http/signed-in.js';
import { FieldError } from '../../pages-kit/attempt.js';
import type { InvitePreview } from '../../providers/orgs/invites.js';
import { definePage, goTo, type Next, type View, type Visit } from '../page.js';
import { noteSent } from '../sent.js';
import { accountHolderOf, sessionOf } from '../sign-in/signed-in.js';
import type { JoinEndedView, JoinView } from '../views.js';

export const joinPage = definePage({
  path: ({ join }) => join,
  access: 'open',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit, attempt) {
    const { context, features, query, templates, texts } = visit;
    if (attempt === null && query.get('done') === 'declined') return declinedView(visit);
    const token = attempt?.values.get('token') ?? query.get('token') ?? '';
    let preview: InvitePreview;
    try {
      preview = await features.orgs!.previewInvite(token, context);
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'token_invalid') throw error;
      return endedView(visit, token, error.reason);
    }
    const { organization, inviter, role, email } = preview;
    const title = texts.join.title(organization.name);
    const body = templates.join(visit, {
      title,
      attempt,
      organization: organization.name,
      inviter,
      role,
      email,
      token,
      ...(await stepOf(visit, email, attempt !== null)),
      signInPath: signInPath(visit, token),
    });
    return { title, body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const token = values.get('token') ?? '';
        await asInvited(visit.features.orgs!.acceptInvite(token, visit.session.user.id));
        // The page that the link leads a member to from now on.
        return goTo(pathOf(visit, token));
      },
    },
    decline: {
      access: 'no-impersonation',
      async submit(values, visit) {
        const token = values.get('token') ?? '';
        await asInvited(visit.features.orgs!.declineInvite(token, visit.session.user.id));
        return goTo(`${visit.paths.join}?done=declined`);
      },
    },
    /** Signs out, and leads to the sign-in with the invited address. */
    change: { access: 'open', submit: changeAccount },
    /** Verifies the address of the account, which is the invited one, and returns to the invite. */
    verify: {
      access: 'session',
      async submit(values, visit) {
        const { base, context, features, paths, session } = visit;
        if (features.verification) {
          await features.verification.sendVerification(session.user.id, context);
          noteSent(visit, 'email_verification', session.user.email ?? '');
          visit.keep({ next: base + pathOf(visit, values.get('token') ?? '') });
          return goTo(paths.verify);
        }
        // A sign-in with a mailed code or link verifies the address.
        return changeAccount(values, visit);
      },
    },
  },
});

/** The page says what to do if the invite belongs to another user. */
async function asInvited(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (isServiceError(error) && error.code === 'not_authorized') throw new FieldError('email', '');
    throw error;
  }
}

async function declinedView(visit: Visit): Promise<View> {
  const { declined, declinedLead } = visit.texts.join;
  const next = nextOf(visit, await sessionOf(visit));
  return viewOf(visit, { title: declined, lead: declinedLead, next });
}

/** An invite that cannot be accepted. A member is led on, also if another user has accepted it. @param reason of the error. */
async function endedView(visit: Visit, token: string, reason: string | undefined): Promise<View> {
  const { features, paths, texts } = visit;
  const caller = await sessionOf(visit);
  const joined = caller && (await features.orgs!.findJoined(token, caller.session.user.id));
  if (joined)
    return viewOf(visit, {
      title: texts.join.joined(joined.org.name),
      next: { url: visit.homeUrl, label: texts.continue },
      organizationPath: `${paths.account}/organizations/${joined.org.id}`,
    });
  const { ended } = texts.join;
  const isUsed = reason === 'used';
  const { title, lead } = isUsed ? ended.used : reason === 'expired' ? ended.expired : ended.withdrawn;
  const next = nextOf(visit, caller, isUsed ? signInPath(visit, token) : paths.signIn);
  return viewOf(visit, { title, lead, next, token: isUsed && caller ? token : null });
}

/** Where the visitor continues: at the start page, or at the sign-in. */
function nextOf(
  { base, homeUrl, paths, texts }: Visit,
  caller: Authenticated | null,
  signIn = paths.signIn,
): JoinEndedView['next'] {
  return caller
    ? { url: homeUrl, label: texts.continue }
    : { url: base + signIn, label: texts.signIn.submit };
}

function viewOf(visit: Visit, view: Pick<JoinEndedView, 'title' | 'next'> & Partial<JoinEndedView>): View {
  const { title } = view;
  const shown = { lead: null, organizationPath: null, token: null, ...view };
  return { title, body: visit.templates.joinEnded(visit, shown) };
}

async function changeAccount(values: URLSearchParams, visit: Visit): Promise<Next> {
  const { req, res, service } = visit;
  await endBrowserSession(service, req, res);
  visit.keep({ email: undefined });
  return goTo(signInPath(visit, values.get('token') ?? ''));
}

/**
 * @param invited the address of the invite, which may be masked.
 * @param wasRefused whether the account could not accept it.
 */
async function stepOf(
  visit: Visit,
  invited: string,
  wasRefused: boolean,
): Promise<Pick<JoinView, 'step' | 'currentEmail'>> {
  // An invite belongs to an address, which a guest does not have.
  const caller = await accountHolderOf(visit);
  if (!caller) return { step: 'signIn', currentEmail: null };
  const { email: currentEmail, emailVerified } = caller.session.user;
  // It is masked unless the account has it, verified.
  if (currentEmail === null || ![currentEmail, maskEmailAddress(currentEmail)].includes(invited))
    return { step: 'change', currentEmail };
  if (!emailVerified) return { step: 'verify', currentEmail };
  return { step: wasRefused ? 'change' : 'accept', currentEmail };
}

function pathOf({ paths }: Visit, token: string): string {
  return `${paths.join}?token=${encodeURIComponent(token)}`;
}

function signInPath(visit: Visit, token: string): string {
  return `${visit.paths.signIn}?next=${encodeURIComponent(visit.base + pathOf(visit, token))}`;
}
