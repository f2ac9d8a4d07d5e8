/** What a resource answers to a client that it refuses (RFC 6750, 3; RFC 9449, 7.1; RFC 9728, 5.1). */
import type { Response } from 'express';
import type { Reason } from '../errors/reasons.js';
import { isDevelopment, setReasonHeader } from '../http/refusal.js';
import { sendJson } from '../http/respond.js';
import { signatureAlgorithms } from '../crypto/jws.js';

/** An access token is refused (RFC 6750, 3.1). */
export class AccessTokenRefusal extends Error {
  constructor(
    readonly status: 400 | 401 | 403,
    /** Null for a request without a token. */
    readonly code: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | null,
    message: string,
    readonly reason: Reason,
    readonly scope?: string,
  ) {
    super(message);
  }
}

export interface Challenger {
  defaultScopes: readonly string[];
  dpop: 'accepted' | 'required';
  metadataUrl: string;
}

export function refuse(
  res: Response,
  { status, code, message, scope, reason }: AccessTokenRefusal,
  isProven: boolean,
  { defaultScopes, dpop, metadataUrl }: Challenger,
): void {
  const algs = { algs: signatureAlgorithms.join(' ') };
  const parts = {
    ...(code !== null && { error: code, error_description: message }),
    scope: scope ?? defaultScopes.join(' '),
    resource_metadata: metadataUrl,
  };
  const challenges =
    isProven || dpop === 'required'
      ? [challenge('DPoP', { ...parts, ...algs })]
      : [challenge('Bearer', parts), challenge('DPoP', algs)];
  res.setHeader('WWW-Authenticate', challenges);
  res.setHeader('Cache-Control', 'no-store');
  const shown = isDevelopment() && status !== 400 ? { diagnosis: reason } : {};
  setReasonHeader(res, shown.diagnosis);
  sendJson(res, { error: code ?? 'invalid_token', error_description: message, ...shown }, status);
}

function challenge(scheme: string, parts: Readonly<Record<string, string>>): string {
  const list = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return `${scheme} ${list.join(', ')}`;
}
