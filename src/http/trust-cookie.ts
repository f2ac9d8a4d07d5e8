/**
 * The `svc_trust` cookie of a trusted browser, which replaces the second factor. It is sent and read
 * only if `totp.trustedBrowsers` is configured.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { internals, isOfHost } from '../core/internals.js';
import type { TrustToken } from '../core/sessions/trusted-browsers.js';
import { readCookie, setOnlyCookie } from './session-cookie.js';

export function keepTrust(service: Service, req: Request, res: Response, trust: TrustToken): void {
  const [tools, name] = [service[internals], cookieName(service)];
  setOnlyCookie(tools, req, res, name, trust.token, trust.expiresAt);
}

/** Undefined if the option is off, whatever the request sends. */
export function readTrustToken(service: Service, req: Request): string | undefined {
  return service[internals].trustsBrowsers ? readCookie(req, cookieName(service)) : undefined;
}

// As for the session cookie: with the prefix, no sibling subdomain can set it.
function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_trust' : 'svc_trust';
}
