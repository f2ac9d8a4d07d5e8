/**
 * The `svc_device` cookie of a browser that has signed in: other clients cannot use up the limits
 * of its accounts.
 */
import type { Request, Response } from 'express';
import type { ServiceUser } from '../domain/user.js';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../core/internals.js';
import { isRemembered } from '../core/sessions/session-tokens.js';
import type { IssuedSession } from '../core/sessions/sessions.js';
import { readCookie, setCookie } from './session-cookie.js';

/** Adds the account of a new session to the cookie. */
export function keepDevice(
  service: Service,
  req: Request,
  res: Response,
  { id, email }: Pick<ServiceUser, 'id' | 'email'>,
  { token }: IssuedSession,
): void {
  const tools = service[internals];
  const claims = tools.sessions.tokens.claimsOf(token);
  if (claims?.epoch === undefined) return;
  // A browser that is to forget the session, such as one in a library, must not keep who has signed in.
  if (!isRemembered(claims)) return;
  const { epoch } = claims;
  const device = tools.knownDevices.remember(readDeviceToken(service, req), { userId: id, epoch, email });
  setCookie(tools, req, res, cookieName(service), device.token, device.expiresAt);
}

export function readDeviceToken(service: Service, req: Request): string | undefined {
  return readCookie(req, cookieName(service));
}

// Without the prefix, a sibling subdomain could set the cookie and count the user's attempts
// against another account.
function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_device' : 'svc_device';
}
