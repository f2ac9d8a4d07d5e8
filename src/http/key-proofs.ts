/** Proofs of the keys of bearer sessions: which request needs one, and how a request without the right one is refused (RFC 9449, 7). */
import type { Request, Response } from 'express';
import { signatureAlgorithms } from '../crypto/jws.js';
import type { SessionClaims } from '../crypto/session-claims.js';
import { internals, type ServiceInternals } from '../core/internals.js';
import type { KeyProof } from '../core/sessions/dpop-keys.js';
import { withAttemptedUser } from '../core/support/attempted-user.js';
import type { Service } from '../engine/service.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { reasonOf } from '../errors/reasons.js';
import type { ServiceError } from '../errors/service-error.js';
import { isProofScheme } from './bearer-session.js';
import { originalOf } from './handshake.js';
import { because } from './refusal.js';

type Tools = Pick<ServiceInternals, 'dpopKeys'>;

/**
 * Returns the proof of a request that presents one. Undefined without the header, and without `session.bearer`.
 * @param token the access token that comes with the request, which the proof must name.
 * @throws TokenInvalidError if the proof is invalid.
 */
export function proofOf({ dpopKeys }: Tools, req: Request, token?: string): KeyProof | undefined {
  const header = req.headers['dpop'];
  if (!dpopKeys || header === undefined) return undefined;
  const proven = { header, method: req.method, url: urlsOf(req, dpopKeys.origin) };
  return dpopKeys.read(originalOf(req), { ...proven, ...(token !== undefined && { token }) });
}

/**
 * Returns the proof of a request with `Authorization: DPoP`.
 * @throws TokenInvalidError if it is missing or invalid.
 */
export function requiredProof(tools: Tools, req: Request, token: string): KeyProof {
  const proof = proofOf(tools, req, token);
  if (!proof) throw new TokenInvalidError(because('dpop_proof_missing'));
  return proof;
}

/** @throws TokenInvalidError if a token is bound to another key than the proven one, or to none although there is a proof. */
export function checkKey({ cnf, sub: userId }: SessionClaims, proof: KeyProof | undefined): void {
  if (cnf?.jkt === proof?.thumbprint) return;
  const unproven = cnf === undefined ? 'dpop_token_unbound' : 'dpop_key_other';
  const reason = proof ? unproven : 'dpop_proof_missing';
  throw withAttemptedUser(new TokenInvalidError(because(reason)), userId);
}

/** Returns whether a request proves the key to which its token is bound. It does not use the proof up. */
export function provesKey(tools: Tools, req: Request, token: string, claims: SessionClaims): boolean {
  try {
    checkKey(claims, requiredProof(tools, req, token));
    return true;
  } catch {
    return false;
  }
}

/**
 * Refuses a sign-in early, before it uses a code up.
 * @throws TokenInvalidError if `session.bearer.dpop` requires a proof and the request has none, or an invalid one.
 */
export function refuseUnproven(service: Service, req: Request): void {
  const tools = service[internals];
  if (!proofOf(tools, req) && tools.dpopKeys?.isRequired)
    throw new TokenInvalidError(because('dpop_proof_missing'));
}

/** The addresses that a request may have for its client: behind a proxy with TLS, the application may not know the scheme. */
function urlsOf({ headers, originalUrl, secure }: Request, origin: string | undefined): string[] {
  const path = originalUrl.startsWith('/') ? originalUrl : pathOf(originalUrl);
  if (origin !== undefined) return [origin + path];
  const { host = '' } = headers;
  if (!isHost(host)) return [];
  return [`https://${host}${path}`, ...(secure ? [] : [`http://${host}${path}`])];
}

/** Whether a header is the name of a host and no more: any client can send one that would move the path of the address. */
function isHost(host: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
}

/** Of a request line with a whole address. */
function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : '/';
}

/** The reasons that are about a key. Everything else is about the token. */
const proofReasons: readonly (string | undefined)[] = ['dpop_proof_invalid'];
const keyReasons: readonly (string | undefined)[] = [
  ...proofReasons,
  'dpop_proof_missing',
  'dpop_key_other',
  'dpop_token_unbound',
];

/** Sets the challenge of a request that was refused with `Authorization: DPoP`, or for lack of a proof (RFC 9449, 7.1). */
export function setProofChallenge(res: Response, error: ServiceError): void {
  if (error.code !== 'token_invalid' && error.code !== 'refresh_token_invalid') return;
  const reason = reasonOf(error);
  // A response that is not of Express has no request.
  const { authorization } = (res as Partial<Response>).req?.headers ?? {};
  if (!keyReasons.includes(reason) && !isProofScheme(authorization)) return;
  const code = proofReasons.includes(reason) ? 'invalid_dpop_proof' : 'invalid_token';
  res.setHeader('WWW-Authenticate', `DPoP error="${code}", algs="${signatureAlgorithms.join(' ')}"`);
}
