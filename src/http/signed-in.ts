/** What a browser gets from a sign-in: the session cookie, or the `svc_mfa` cookie and a refusal. */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { MfaRequiredError } from '../errors/catalog.js';
import { internals } from '../kit/internals.js';
import type { ChangedUser, SignInResult } from '../kit/sign-in.js';
import { keepDevice } from './device-cookie.js';
import { clearCookie, readCookie, setCookie, setSessionCookie } from './session-cookie.js';

const pendingCookie = 'svc_mfa';

/**
 * Gives the browser its session, and its caller the answer.
 * @throws MfaRequiredError, and `svc_mfa` is set, where the account has a second factor.
 */
export function giveSession(service: Service, req: Request, res: Response, result: SignInResult) {
  const tools = service[internals];
  if (result.pending) {
    const { token, expiresAt } = result.pending;
    setCookie(tools, req, res, pendingCookie, token, expiresAt);
    throw new MfaRequiredError();
  }
  if (result.session) {
    setSessionCookie(tools, req, res, result.session);
    keepDevice(service, req, res, result.user, result.session);
    forgetPendingSignIn(service, req, res);
  }
  return { user: result.user };
}

/** Gives the browser of who changed something about themselves the session that goes on. */
export function goOn(service: Service, req: Request, res: Response, { user, session }: ChangedUser) {
  if (session) {
    setSessionCookie(service[internals], req, res, session);
    keepDevice(service, req, res, user, session);
  }
  return { user };
}

export function readPendingSignIn(req: Request): string | undefined {
  return readCookie(req, pendingCookie);
}

/** Clears the cookie where the request carries one. */
export function forgetPendingSignIn(service: Service, req: Request, res: Response): void {
  if (readPendingSignIn(req) !== undefined) clearCookie(service[internals], req, res, pendingCookie);
}
