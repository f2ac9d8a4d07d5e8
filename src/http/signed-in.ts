/**
 * Starts and continues the session of a browser: the session cookie, or the `svc_mfa` cookie of a
 * pending sign-in.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { MfaRequiredError } from '../errors/catalog.js';
import { internals } from '../core/support/internals.js';
import type { ChangedUser, SignInResult } from '../core/sessions/sign-in.js';
import { presentedTokens } from './authenticate.js';
import { keepDevice } from './device-cookie.js';
import {
  clearCookie,
  clearSessionCookie,
  readCookie,
  setCookie,
  setSessionCookie,
} from './session-cookie.js';

const pendingCookie = 'svc_mfa';

/**
 * Sets the cookies of a sign-in and returns the body of the response.
 * @throws MfaRequiredError if the account has a second factor; sets `svc_mfa` before.
 */
export function startBrowserSession(service: Service, req: Request, res: Response, result: SignInResult) {
  const tools = service[internals];
  if (result.pending) {
    const { token, expiresAt } = result.pending;
    setCookie(tools, req, res, pendingCookie, token, expiresAt);
    throw new MfaRequiredError();
  }
  if (result.session) {
    setSessionCookie(tools, req, res, result.session);
    keepDevice(service, req, res, result.user, result.session);
    clearPendingSignIn(service, req, res);
  }
  return { user: result.user };
}

/**
 * Sets the cookies of the new session, if the user's change started one, and returns the body of
 * the response.
 */
export function continueSession(
  service: Service,
  req: Request,
  res: Response,
  { user, session }: ChangedUser,
) {
  if (session) {
    setSessionCookie(service[internals], req, res, session);
    keepDevice(service, req, res, user, session);
  }
  return { user };
}

export function readPendingSignIn(req: Request): string | undefined {
  return readCookie(req, pendingCookie);
}

/** Clears the cookie of a pending sign-in, if the request has one. */
export function clearPendingSignIn(service: Service, req: Request, res: Response): void {
  if (readPendingSignIn(req) !== undefined) clearCookie(service[internals], req, res, pendingCookie);
}

/** Ends the session of every token that the request carries, also on the server (ASVS 7.4.1), and clears its cookies. */
export async function endBrowserSession(service: Service, req: Request, res: Response): Promise<void> {
  const { sessions } = service[internals];
  const tokens = presentedTokens(service, req);
  clearSessionCookie(service[internals], req, res);
  clearPendingSignIn(service, req, res);
  for (const { token } of tokens) await sessions.endSession(token);
}
