/** A browser that binds its session, with a key in software: it does what Chromium does with the headers of `session.bound`. */
import { CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { HttpResponse } from './http-client.js';
import type { RequestOptions, Site } from './http-site.js';

type Algorithm = 'ES256' | 'RS256';
type PrivateKey = Parameters<CompactSign['sign']>[0];

export interface ProofOptions {
  /** The key whose public part is in the header. */
  jwk?: JWK | undefined;
  typ?: string;
  header?: Record<string, unknown>;
}

export interface DeviceKey {
  alg: Algorithm;
  jwk: JWK;
  prove: (challenge: string, options?: ProofOptions) => Promise<string>;
}

export async function deviceKey(alg: Algorithm = 'ES256'): Promise<DeviceKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, jwk, prove: (challenge, options) => sign(privateKey, alg, challenge, options) };
}

function sign(key: PrivateKey, alg: string, jti: string, options: ProofOptions = {}): Promise<string> {
  const { jwk, typ = 'dbsc+jwt', header } = options;
  return new CompactSign(new TextEncoder().encode(JSON.stringify({ jti })))
    .setProtectedHeader({ alg, typ, ...(jwk && { jwk }), ...header })
    .sign(key);
}

/** What the browser keeps of a bound session. */
export interface BoundJar {
  key: DeviceKey;
  id: string;
  /** The `Cookie` header. */
  cookie: string;
  response: HttpResponse;
}

/** An offer to bind a session. */
export interface Offer {
  path: string;
  challenge: string;
  /** The cookie without which the challenge is worthless. */
  nonce: string;
}

/** Returns the offer of a response. Undefined without one. */
export function offerOf({ headers, cookies }: HttpResponse): Offer | undefined {
  const header = headers['secure-session-registration'];
  if (header === undefined) return undefined;
  const [, path, challenge] =
    /^\(ES256 RS256\);path="([^"]+)";challenge="([^"]+)"$/.exec(String(header)) ?? [];
  if (path === undefined || challenge === undefined) throw new Error(`Not an offer: ${String(header)}`);
  const nonce = cookies.find(({ name }) => name.endsWith('svc_binding'));
  if (!nonce) throw new Error('The offer has no cookie.');
  return { path, challenge, nonce: `${nonce.name}=${nonce.value}` };
}

/** Returns the challenge of a response that asks for a proof. */
export function challengeOf({ headers }: HttpResponse): string {
  const [, challenge] = /^"([^"]+)";id="[^"]+"$/.exec(String(headers['secure-session-challenge'])) ?? [];
  if (challenge === undefined) throw new Error('The response asks for no proof.');
  return challenge;
}

const quoted = (text: string) => `"${text}"`;

/** The mode in which Chromium registers keys, which no script can set. */
const ofBrowser = { 'Sec-Fetch-Mode': 'no-cors' };

/** Registers a key. @param options.cookie none by default but that of the offer: a registration after a redirect of another site has no other. */
export async function register(
  site: Site,
  { path, challenge, nonce }: Offer,
  key: DeviceKey,
  proof?: string,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const token = proof ?? (await key.prove(challenge, { jwk: key.jwk }));
  const headers = { 'Secure-Session-Response': quoted(token), ...ofBrowser, ...options.headers };
  const cookie = [options.cookie, nonce].filter(Boolean).join('; ');
  return site.send('POST', path, undefined, { ...options, cookie, headers, skipChecks: true });
}

/** Binds the session that a response has started. */
export async function bind(site: Site, signedIn: HttpResponse, algorithm?: Algorithm): Promise<BoundJar> {
  const offer = offerOf(signedIn);
  if (!offer) throw new Error('The response offers no binding.');
  const key = await deviceKey(algorithm);
  const response = await register(site, offer, key);
  const { session_identifier: id } = response.json as { session_identifier: string };
  return { key, id, cookie: response.cookie(), response };
}

/** Sends one request to the endpoint that replaces the cookie. */
export function sendRefresh(
  site: Site,
  id: string,
  proof?: string,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const headers = {
    'Sec-Secure-Session-Id': quoted(id),
    ...(proof !== undefined && { 'Secure-Session-Response': quoted(proof) }),
    ...options.headers,
  };
  return site.send('POST', '/api/auth/session/bound/refresh', undefined, {
    cookie: `__Host-svc_bound=${id}`,
    ...options,
    headers,
    skipChecks: true,
  });
}

/** Replaces the cookie, as a browser does it: it asks for a challenge, and signs it. */
export async function refresh(
  site: Site,
  { id, key }: BoundJar,
  options?: RequestOptions,
): Promise<HttpResponse> {
  const challenge = challengeOf(await sendRefresh(site, id, undefined, options));
  return sendRefresh(site, id, await key.prove(challenge), options);
}
