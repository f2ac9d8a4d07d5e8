/** The cookie of a session that a sign-in has started. */
import type { Request, Response } from 'express';
import type { ServiceInternals } from '../core/internals.js';
import type { IssuedSession } from '../core/sessions/sessions.js';
import { offerBinding } from './bound-sessions/offer.js';
import { clearBoundMarker, expireOthers, setSessionCookie } from './session-cookie.js';

/** Sets the cookie of a session that a sign-in has started, as the only one of its name. */
export function startSessionCookie(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  issued: IssuedSession,
): void {
  setSessionCookie(tools, req, res, issued);
  // The browser would otherwise replace this cookie by that of an earlier session.
  clearBoundMarker(tools, req, res);
  // Not with a renewal: a copy of the cookie must not be able to bind the session to another key.
  offerBinding(tools, req, res, tools.sessions.tokens.claimsOf(issued.token));
  expireOthers(tools, req, res, tools.cookie.name);
}
