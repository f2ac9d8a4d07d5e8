/**
 * The cookies of a sign-up that waits: `svc_sign_up` for its mailed code, which it binds to the browser that chose the password, and
 * `svc_sign_up_fields` for the fields of the application.
 */
import type { Request, Response } from 'express';
import type { SentCode } from '../domain/one-time-code.js';
import type { Service } from '../engine/service.js';
import { FieldsRequiredError, TokenInvalidError } from '../errors/catalog.js';
import { because } from './refusal.js';
import { isServiceError } from '../errors/service-error.js';
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
  setOnlyCookie(tools, req, res, cookieName(service, 'svc_sign_up'), token, pending.expiresAt);
  return { expiresAt, ...format };
}

/**
 * @param sent the token in the body, which counts only without cookies: it would bind the code to no browser.
 * @throws TokenInvalidError without the cookie.
 */
export function readSignUp(
  service: Service,
  req: Request,
  sent: string | undefined,
  step: SignUpStep = 'svc_sign_up',
): string {
  const name = cookieName(service, step);
  const token = isBearerRequest(service[internals], req) ? sent : readCookie(req, name);
  if (token === undefined) throw new TokenInvalidError(because('sign_up_ended'));
  return token;
}

export function clearSignUp(
  service: Service,
  req: Request,
  res: Response,
  step: SignUpStep = 'svc_sign_up',
): void {
  if (isBearerRequest(service[internals], req)) return;
  clearCookie(service[internals], req, res, cookieName(service, step));
}

/** Clears the cookies of sign-ups that wait: the next user of the browser must not complete them. */
export function dropSignUps(service: Service, req: Request, res: Response): void {
  for (const step of ['svc_sign_up', 'svc_sign_up_fields'] as const)
    if (readCookie(req, cookieName(service, step)) !== undefined) clearSignUp(service, req, res, step);
}

/** Sets the cookie of a proven sign-up that lacks fields. Returns the error to send: with the token for a client without cookies only. */
export function keepUnfinishedSignUp(
  service: Service,
  req: Request,
  res: Response,
  error: FieldsRequiredError,
): FieldsRequiredError {
  const { pending } = error;
  if (!pending || isBearerRequest(service[internals], req)) return error;
  const name = cookieName(service, 'svc_sign_up_fields');
  setOnlyCookie(service[internals], req, res, name, pending.token, pending.expiresAt);
  return new FieldsRequiredError();
}

export function isFieldsRequired(error: unknown): error is FieldsRequiredError {
  return isServiceError(error) && error.code === 'fields_required';
}

type SignUpStep = 'svc_sign_up' | 'svc_sign_up_fields';

// Without the prefix, a sibling subdomain could set the cookie of its own sign-up with the address of the user, who would then
// confirm a password of the attacker.
function cookieName(service: Service, step: SignUpStep): string {
  return isOfHost(service[internals].cookie.name) ? `__Host-${step}` : step;
}
