/**
 * Starts and continues the session of a browser: the session cookie, or the `svc_mfa` cookie of a
 * pending sign-in.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { MfaRequiredError } from '../errors/catalog.js';
import { internals, type SignInOrigin } from '../core/internals.js';
import { withAttemptedUser } from '../core/support/attempted-user.js';
import type { ChangedUser, SignInResult } from '../core/sessions/sign-in-result.js';
import { presentedTokens } from './authenticate.js';
import { isBearerRequest, pendingSignInOf } from './bearer-session.js';
import { keepDevice } from './device-cookie.js';
import type { RedirectCall } from './endpoint.js';
import { retireOldSessions } from './presented-sessions.js';
import { keepLastMethod } from './last-method-cookie.js';
import { dropSignUps, isFieldsRequired, keepUnfinishedSignUp } from './sign-up-cookie.js';
import { keepTrust } from './trust-cookie.js';
import {
  clearCookie,
  clearSessionCookie,
  pendingCookie,
  readCookie,
  setOnlyCookie,
  setSessionCookie,
} from './session-cookie.js';
import { startSessionCookie } from './start-session-cookie.js';

/**
 * Sets the cookies of a sign-in and returns the body of the response.
 * @throws MfaRequiredError if the account has a second factor; sets `svc_mfa` before.
 */
export function startBrowserSession(service: Service, req: Request, res: Response, result: SignInResult) {
  const tools = service[internals];
  if (isBearerRequest(tools, req)) return bearerBody(result);
  if (result.pending) {
    const { token, expiresAt, ...secondStep } = result.pending;
    setOnlyCookie(tools, req, res, pendingCookie, token, expiresAt);
    throw withAttemptedUser(new MfaRequiredError(secondStep), result.user.id);
  }
  if (result.session) {
    startSessionCookie(tools, req, res, result.session);
    keepDevice(service, req, res, result.user, result.session);
    keepLastMethod(service, req, res, result);
    clearPendingSignIn(service, req, res);
    dropSignUps(service, req, res);
  }
  if (result.trust) keepTrust(service, req, res, result.trust);
  return { user: result.user };
}

/** Sets the cookies of a sign-in that ends with a redirect, and returns its target: also that of the second step. */
export function redirectSignedIn(
  { service, req, res, redirects }: RedirectCall,
  result: SignInResult,
  origin: SignInOrigin,
): string {
  try {
    startBrowserSession(service, req, res, result);
  } catch (error) {
    if (!(error instanceof MfaRequiredError)) throw error;
    return redirects.failure(error, origin);
  }
  return redirects.success({ ...origin, reclaimed: result.reclaimed });
}

/**
 * Returns the target of a proven sign-in that lacks fields of the application, with its cookie.
 * @throws every other error as it is.
 */
export function redirectUnfinished(
  { service, req, res, redirects }: RedirectCall,
  error: unknown,
  origin: SignInOrigin,
): string {
  if (!isFieldsRequired(error)) throw error;
  // The identity provider has returned the state, and the error is replaced by one without it.
  const { appState } = error;
  return redirects.failure(keepUnfinishedSignUp(service, req, res, error), { appState, ...origin });
}

/** The response to a client without cookies. @throws MfaRequiredError with the pending sign-in, if the account has a second factor. */
function bearerBody({ user, bearer, pending }: SignInResult) {
  if (pending) {
    const { token, expiresAt, ...secondStep } = pending;
    throw withAttemptedUser(new MfaRequiredError(secondStep, { token, expiresAt }), user.id);
  }
  return { user, ...(bearer && { bearer }) };
}

/**
 * Sets the cookies of the new session, if the user's change started one, and returns the body of
 * the response.
 */
export function continueSession(
  service: Service,
  req: Request,
  res: Response,
  { user, session, bearer }: ChangedUser,
) {
  if (isBearerRequest(service[internals], req)) return { user, ...(bearer && { bearer }) };
  if (session) {
    setSessionCookie(service[internals], req, res, session);
    keepDevice(service, req, res, user, session);
  }
  return { user };
}

export function readPendingSignIn(service: Service, req: Request): string | undefined {
  return isBearerRequest(service[internals], req) ? pendingSignInOf(req) : readCookie(req, pendingCookie);
}

/** Clears the cookie of a pending sign-in, if the request has one. */
export function clearPendingSignIn(service: Service, req: Request, res: Response): void {
  if (isBearerRequest(service[internals], req)) return;
  if (readPendingSignIn(service, req) !== undefined) clearCookie(service[internals], req, res, pendingCookie);
}

/** Ends the session of every token that the request carries, also on the server (ASVS 7.4.1), and clears its cookies. */
export async function endBrowserSession(service: Service, req: Request, res: Response): Promise<void> {
  const { sessions } = service[internals];
  const tokens = presentedTokens(service, req);
  clearSessionCookie(service[internals], req, res);
  clearPendingSignIn(service, req, res);
  dropSignUps(service, req, res);
  for (const { token } of tokens) await sessions.endSession(token);
  await retireOldSessions(service, req, res);
}
