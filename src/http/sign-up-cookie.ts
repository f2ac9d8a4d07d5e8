/**
 * The `svc_sign_up` cookie: the token of a sign-up that waits for its mailed code. It binds the code to the browser that chose the
 * password.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { internals, isOfHost } from '../core/support/internals.js';
import type { PendingSignUp } from '../providers/email-password/private-sign-ups.js';
import { clearCookie, readCookie, setCookie } from './session-cookie.js';

/** Longer than the code, so that a late client gets `code_expired`. */
const graceMs = 60 * 60_000;

/** Sets the cookie and returns the body of the response. */
export function keepSignUp(
  service: Service,
  req: Request,
  res: Response,
  { token, expiresAt }: PendingSignUp,
): { expiresAt: Date } {
  const cookieExpiresAt = new Date(expiresAt.getTime() + graceMs);
  setCookie(service[internals], req, res, cookieName(service), token, cookieExpiresAt);
  return { expiresAt };
}

/** @throws TokenInvalidError without the cookie. */
export function readSignUp(service: Service, req: Request): string {
  const token = readCookie(req, cookieName(service));
  if (token === undefined) throw new TokenInvalidError();
  return token;
}

export function clearSignUp(service: Service, req: Request, res: Response): void {
  clearCookie(service[internals], req, res, cookieName(service));
}

// Without the prefix, a sibling subdomain could set the cookie of its own sign-up with the address of the user, who would then
// confirm a password of the attacker.
function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_sign_up' : 'svc_sign_up';
}
