/**
 * The `svc_sign_up` cookie: the token of a sign-up that waits for its mailed code. It binds the code to the browser that chose the
 * password.
 */
import type { Request, Response } from 'express';
import type { SentCode } from '../domain/one-time-code.js';
import type { Service } from '../engine/service.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { internals, isOfHost } from '../core/internals.js';
import type { PendingSignUp } from '../providers/email-password/private-sign-ups.js';
import { isBearerRequest } from './bearer-session.js';
import { clearCookie, readCookie, setOnlyCookie } from './session-cookie.js';

/** Longer than the code, so that a late client gets `code_expired`. */
const graceMs = 60 * 60_000;

/** Sets the cookie and returns the body of the response. A client without cookies gets the token in the body. */
export function keepSignUp(
  service: Service,
  req: Request,
  res: Response,
  { token, expiresAt, ...format }: PendingSignUp,
): SentCode & { pending?: PendingSignUp } {
  const tools = service[internals];
  const pending = { token, expiresAt: new Date(expiresAt.getTime() + graceMs) };
  if (isBearerRequest(tools, req)) return { expiresAt, ...format, pending };
  setOnlyCookie(tools, req, res, cookieName(service), token, pending.expiresAt);
  return { expiresAt, ...format };
}

/**
 * @param sent the token in the body, which counts only without cookies: it would bind the code to no browser.
 * @throws TokenInvalidError without the cookie.
 */
export function readSignUp(service: Service, req: Request, sent: string | undefined): string {
  const token = isBearerRequest(service[internals], req) ? sent : readCookie(req, cookieName(service));
  if (token === undefined) throw new TokenInvalidError();
  return token;
}

export function clearSignUp(service: Service, req: Request, res: Response): void {
  if (isBearerRequest(service[internals], req)) return;
  clearCookie(service[internals], req, res, cookieName(service));
}

// Without the prefix, a sibling subdomain could set the cookie of its own sign-up with the address of the user, who would then
// confirm a password of the attacker.
function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_sign_up' : 'svc_sign_up';
}
