/** The page on which users decide what an application may do for them (RFC 6749, 4.1.1). The OAuth server leads here. */
import type { AuthorizationRequest, ConsentDesk } from '../../core/internals.js';
import type { LiveSession } from '../../core/sessions/session-checks.js';
import { isServiceError } from '../../errors/service-error.js';
import { isPrefetch } from '../../http/request-context.js';
import { endBrowserSession } from '../../http/signed-in.js';
import { definePage, goTo, type Next, type SessionVisit, type View, type Visit } from '../page.js';
import { accountHolderOf } from '../sign-in/signed-in.js';
import { scopesInWords, stepBefore } from './shared.js';

export const consentPage = definePage({
  path: ({ consent }) => consent,
  access: 'open',
  isOffered: ({ consents }) => consents.desk !== undefined,
  async show(visit, attempt) {
    const { features, query, req, res } = visit;
    const id = attempt?.values.get('request') ?? query.get('request') ?? '';
    const desk = features.consents.desk!;
    const request = await desk.open(req, res, id);
    if (!request) return endedView(visit);
    if (request.continuesAt !== null) return viewOf(visit, request, null);
    const caller = await accountHolderOf(visit);
    if (!caller) return goTo(signInPath(visit, id));
    const { session } = caller;
    const step = stepBefore(visit, pathOf(visit, id), session, request.signInSince);
    if (step) return step;
    // Nothing new is asked: the user has decided before. A page that is fetched ahead decides nothing.
    const isOpened = attempt === null && req.method !== 'HEAD' && !isPrefetch(req);
    if (isOpened) {
      if (await isSettled(desk.allowRemembered(req, res, request, session)))
        return settledView(visit, desk, id);
      // It gives nothing if the session has ended at this moment either.
      if (!(await accountHolderOf(visit))) return goTo(signInPath(visit, id));
    }
    return viewOf(visit, request, session);
  },
  forms: {
    allow: {
      access: 'no-impersonation',
      submit: (values, visit) =>
        decide(values, visit, async (desk, id) => {
          const { req, res, session } = visit;
          const request = await desk.open(req, res, id);
          const step = request && stepBefore(visit, pathOf(visit, id), session, request.signInSince);
          // A guest signs up first, as the page says.
          if (!step && (await accountHolderOf(visit))) await desk.allow(req, res, id, session);
        }),
    },
    deny: {
      access: 'no-impersonation',
      submit: (values, visit) => decide(values, visit, (desk, id) => desk.deny(visit.req, visit.res, id)),
    },
    /** Signs out, and leads to the sign-in and back. */
    change: {
      access: 'open',
      async submit(values, visit) {
        const { req, res, service } = visit;
        await endBrowserSession(service, req, res);
        visit.keep({ email: undefined });
        return goTo(signInPath(visit, values.get('request') ?? ''));
      },
    },
  },
});

/** Does what the user has decided, unless the browser has become another user's since the page was shown. */
async function decide(
  values: URLSearchParams,
  visit: SessionVisit,
  act: (desk: ConsentDesk, id: string) => Promise<void>,
): Promise<Next> {
  const id = values.get('request') ?? '';
  if (values.get('user') === visit.session.user.id)
    await endedIsShown(act(visit.features.consents.desk!, id));
  return goTo(pathOf(visit, id));
}

/** The page says it. */
async function endedIsShown(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'token_invalid') throw error;
  }
}

/** Returns whether nothing is left to ask: the request is decided, or has ended. */
async function isSettled(work: Promise<boolean>): Promise<boolean> {
  let isAllowed = true;
  await endedIsShown(work.then((outcome) => void (isAllowed = outcome)));
  return isAllowed;
}

async function settledView(visit: Visit, desk: ConsentDesk, id: string): Promise<View> {
  const request = await desk.open(visit.req, visit.res, id);
  return request ? viewOf(visit, request, null) : endedView(visit);
}

function viewOf(visit: Visit, request: AuthorizationRequest, session: LiveSession | null): View {
  const { templates, texts } = visit;
  const { client, continuesAt, host, id, isLocal, scopes } = request;
  // Its host is what is known of a client that no one has registered. It may call itself anything.
  const asker = client.host ?? client.name;
  const title = continuesAt === null ? texts.consent.title(asker) : texts.consent.leaving(asker);
  const body = templates.consent(visit, {
    title,
    attempt: null,
    ...{ id, client, continuesAt, host, isLocal },
    scopes: scopesInWords(scopes, texts),
    user: session && { id: session.user.id, email: session.user.email ?? '' },
  });
  return { title, body, ...(continuesAt !== null && { leaveFor: continuesAt }) };
}

function endedView(visit: Visit): View {
  const { title, lead } = visit.texts.consent.ended;
  return { title, body: visit.templates.message(visit, { title, lead, links: [] }), status: 404 };
}

function pathOf({ paths }: Visit, id: string): string {
  return `${paths.consent}?request=${encodeURIComponent(id)}`;
}

function signInPath(visit: Visit, id: string): string {
  return `${visit.paths.signIn}?next=${encodeURIComponent(visit.base + pathOf(visit, id))}`;
}
