/** Replaces the session of a former system that a request presents (`session.acceptSessionsFrom`). */
import type { Request, Response } from 'express';
import { internals } from '../core/internals.js';
import { isServiceError } from '../errors/service-error.js';
import { MfaRequiredError } from '../errors/catalog.js';
import { withAttemptedUser } from '../core/support/attempted-user.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { Service } from '../engine/service.js';
import { keepDevice } from './device-cookie.js';
import { checkKey } from './key-proofs.js';
import { checkOrigin } from './origin-check.js';
import {
  acceptsOldSessions,
  clearOldCookies,
  deviceOfRequest,
  presentedSessions,
} from './presented-sessions.js';
import { pendingCookie, readSessionCookies, setOnlyCookie } from './session-cookie.js';
import { startSessionCookie } from './start-session-cookie.js';

/** RFC 9110, 9.2.1 */
export const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

interface Replaced {
  session: LiveSession;
  token: string;
}

/**
 * Returns the session that replaces the old one of a request, and sets its cookie. Null if the request presents none that counts, and if
 * no cookie can be set.
 * @throws NotAuthorizedError if a page of another site sent the request; MfaRequiredError if the account asks for a second factor.
 */
export async function replaceOldSession(
  service: Service,
  req: Request,
  res: Response | undefined,
): Promise<Replaced | null> {
  const tools = service[internals];
  const { oldSessions, sessions } = tools;
  if (!res || res.headersSent || !acceptsOldSessions(service, req)) return null;
  for (const presented of await presentedSessions(service, req)) {
    const { session } = presented;
    if (session.isAmbient && isOfOtherSite(service, req)) continue;
    if (!session.isAmbient) {
      const own = await sessionOfCookie(service, req);
      if (own) return own;
    }
    const replacement = await oldSessions.replace(presented, deviceOfRequest(req));
    // No cookie can be set anymore: the other sessions stay as they are.
    if (res.headersSent) return null;
    if (!replacement) continue;
    // The response sets a cookie, so that no cache may store it, whatever the application has set.
    res.setHeader('Cache-Control', 'no-store');
    if (replacement.kind === 'second_factor') {
      const { user, method } = replacement;
      const { token, expiresAt, ...secondStep } = await tools.requireSecondFactor(user, method);
      setOnlyCookie(tools, req, res, pendingCookie, token, expiresAt);
      throw withAttemptedUser(new MfaRequiredError(secondStep), user.id);
    }
    const { user, issued } = replacement;
    startSessionCookie(tools, req, res, issued);
    keepDevice(service, req, res, user, issued);
    clearOldCookies(req, res, session);
    const claims = sessions.tokens.verifyClaims(issued.token);
    return {
      token: issued.token,
      session: { claims, user, session: issued.session, signedInAt: issued.session.createdAt },
    };
  }
  return null;
}

/**
 * Whether a page of another site caused the request, which then carries the old cookie by itself. Only a navigation counts: a browser may
 * ignore the cookie of any other response, and the user would have lost both sessions.
 * @throws NotAuthorizedError if the request can change something.
 */
function isOfOtherSite(service: Service, req: Request): boolean {
  if (!safeMethods.has(req.method)) checkOrigin(service[internals], req);
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = req.headers;
  return site === 'cross-site' && !(mode === 'navigate' && destination === 'document');
}

/** A client that still sends the old token with every request has a session of this service already, in its cookie. */
async function sessionOfCookie(service: Service, req: Request): Promise<Replaced | null> {
  const { cookie, sessions } = service[internals];
  for (const token of readSessionCookies(cookie, req)) {
    try {
      const session = await sessions.authenticate(token);
      // A token that is bound to a key is not one of a cookie: none of its proofs is checked here.
      checkKey(session.claims, undefined);
      return { token, session };
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'token_invalid') throw error;
    }
  }
  return null;
}
