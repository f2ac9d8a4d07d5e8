/** The `svc_device` cookie of a browser that has signed in: its accounts have limits that strangers cannot use up. */
import type { Request, Response } from 'express';
import type { ServiceUser } from '../domain/user.js';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../kit/internals.js';
import type { IssuedSession } from '../kit/sessions.js';
import { readCookie, setCookie } from './session-cookie.js';

/** Adds the account of the session that has just been started to those that the browser is known for. */
export function keepDevice(
  service: Service,
  req: Request,
  res: Response,
  { id, email }: Pick<ServiceUser, 'id' | 'email'>,
  { token }: IssuedSession,
): void {
  const tools = service[internals];
  const epoch = tools.sessions.tokens.claimsOf(token)?.epoch;
  if (epoch === undefined) return;
  const device = tools.knownDevices.remember(readDeviceToken(service, req), { userId: id, epoch, email });
  setCookie(tools, req, res, cookieName(service), device.token, device.expiresAt);
}

export function readDeviceToken(service: Service, req: Request): string | undefined {
  return readCookie(req, cookieName(service));
}

// A sibling subdomain could plant its own, and have the visitor's tries counted with another account's.
function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_device' : 'svc_device';
}
