/**
 * Refuses changes that a page of another site asks for: every method but those that only read
 * (docs/decisions/csrf.md). Uses fetch metadata if the browser sends it, and `Origin` otherwise. A
 * request with neither was not sent by a browser.
 */
import type { Request } from 'express';
import { NotAuthorizedError } from '../errors/catalog.js';
import type { ServiceInternals } from '../core/internals.js';
import { isBearerRequest } from './bearer-session.js';
import { because } from './refusal.js';

/** As `checkOrigin`, unless the request has a bearer session: then nothing reads its cookies, which alone a browser sends by itself. */
export function checkOriginOfCookies(tools: ServiceInternals, req: Request): void {
  if (!isBearerRequest(tools, req)) checkOrigin(tools, req);
}

/**
 * As `checkOriginOfCookies`, for the routes of the application: a request that only reads passes.
 */
export function checkOriginUnlessSafe(tools: ServiceInternals, req: Request): void {
  if (!['GET', 'HEAD', 'OPTIONS'].includes(req.method)) checkOriginOfCookies(tools, req);
}

/** @throws NotAuthorizedError if a page of another site sent the request. */
export function checkOrigin({ linkTargets, logger }: ServiceInternals, req: Request): void {
  const site = req.headers['sec-fetch-site'];
  const origin = req.headers.origin;
  if (site === 'same-origin' || site === 'none') return;
  if (site === undefined && origin === undefined) return;
  if (origin !== undefined && linkTargets.allows(origin)) return;
  if (site === undefined && isOwnOrigin(origin, req)) return;
  logger.warn(
    { event: 'cross_site_post', origin: origin?.slice(0, 256), path: req.path },
    'refused a cross-site POST; if the origin is yours, add it to trustedOrigins',
  );
  throw new NotAuthorizedError(because('origin_mismatch'));
}

// Compares hosts, because the application may not know that it is behind a TLS proxy. A page on
// plain http is never the origin of an https application.
export function isOwnOrigin(origin: string | undefined, req: Request): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const { host, protocol } = new URL(origin);
  return host === req.headers.host && (protocol === 'https:' || (protocol === 'http:' && !req.secure));
}
