/**
 * Whether a request belongs to a bearer session (`session.bearer`): to a client that keeps tokens instead of cookies
 * (docs/single-page-applications.md). Cookies and tokens are never mixed. Such a request is exempt from the origin check, because
 * a page of another site cannot add these headers without the consent of the application's CORS headers; therefore its cookies are
 * neither read nor set.
 */
import type { Request } from 'express';
import type { ServiceInternals } from '../core/internals.js';
import { ProviderNotConfiguredError } from '../errors/catalog.js';

/** Its value `bearer` asks for tokens: also at a sign-in, which has no token yet. */
const modeHeader = 'svc-session';
/** Carries the pending sign-in of a client without cookies. */
const pendingHeader = 'svc-mfa';

type BearerSetting = Pick<ServiceInternals, 'bearer'>;

export function isBearerRequest({ bearer }: BearerSetting, { headers }: Request): boolean {
  if (!bearer) return false;
  return (
    headers[modeHeader] === 'bearer' ||
    isPlainScheme(headers.authorization) ||
    isProofScheme(headers.authorization)
  );
}

/** Returns the token of the `Authorization` header, even if it is malformed. Ignores other schemes, such as the `Basic` of a proxy. */
export function bearerToken({ headers: { authorization } }: Request): string | undefined {
  return isPlainScheme(authorization) ? authorization.slice('Bearer '.length).trim() : undefined;
}

/** As `bearerToken`, for a token that is bound to the key of its client (RFC 9449). */
export function boundToken({ bearer }: BearerSetting, { headers: { authorization } }: Request) {
  return bearer && isProofScheme(authorization) ? authorization.slice('DPoP '.length).trim() : undefined;
}

function isPlainScheme(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^Bearer(?:\s|$)/i.test(authorization);
}

export function isProofScheme(authorization: string | undefined): authorization is string {
  return authorization !== undefined && /^DPoP(?:\s|$)/i.test(authorization);
}

/**
 * @throws ProviderNotConfiguredError if the request asks for tokens and the service issues none: a cookie would be useless to its client.
 */
export function refuseUnsupported({ bearer }: BearerSetting, { headers }: Request): void {
  if (headers[modeHeader] === 'bearer' && !bearer) throw new ProviderNotConfiguredError('session.bearer');
}

/** Returns the token of a pending sign-in, as the response with `mfa_required` contained it. */
export function pendingSignInOf({ headers }: Request): string | undefined {
  const token = headers[pendingHeader];
  return typeof token === 'string' && token !== '' ? token : undefined;
}
