/** The banner above every page of an administrator who acts as a user. */
import type { Html } from '../html/html.js';
import { internals } from '../core/internals.js';
import { candidateTokens, findSession } from '../http/authenticate.js';
import type { Entry } from './page.js';

/**
 * Lets the banner know of an impersonation: most pages of the sign-in have not asked for a session. Reads the claims of the token alone, so
 * that a page costs no query for anyone else.
 */
export async function findImpersonation({ req, res, service }: Entry): Promise<void> {
  const { tokens } = service[internals].sessions;
  const isLikely = candidateTokens(service, req).some(({ token }) => tokens.claimsOf(token)?.act);
  if (isLikely && req.svcAuth === undefined) await findSession(service, req, res);
}

/** Null for everyone else. @param user the name of the user, if the page knows it. */
export function impersonationBanner(visit: Entry, user?: string | null): Html | null {
  const { req, service, templates, texts } = visit;
  const { svcAuth } = req;
  if (svcAuth?.claims.act === undefined) return null;
  const page = {
    ...visit,
    now: new Date(service[internals].clock()),
    accountMark: '',
    accountToken: service[internals].formTokens.issueToken(svcAuth),
    isClosed: () => false,
    words: texts.account,
  };
  return templates.impersonation(page, { user: user ?? req.user?.email ?? null });
}
