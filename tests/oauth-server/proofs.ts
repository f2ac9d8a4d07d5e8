/** Keys of clients, and proofs that they have them (RFC 9449). */
import { constants, createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import type { OAuthSite } from '../support/oauth-site.js';

export interface ClientKey {
  alg: string;
  privateKey: KeyObject;
  jwk: object;
}

export function newKey(alg: 'ES256' | 'EdDSA' | 'Ed25519' | 'RS256' | 'PS256' = 'ES256'): ClientKey {
  const { privateKey, publicKey } = pairOf(alg);
  return { alg, privateKey, jwk: publicKey.export({ format: 'jwk' }) };
}

function pairOf(alg: string) {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return /^.S/.test(alg)
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ed25519');
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface ProofParts {
  header?: Record<string, unknown>;
  payload?: Record<string, unknown>;
}

/** Returns what makes proofs at the time of a site, whose clock stands still. */
export function proofsOf(site: () => Pick<OAuthSite, 'test'>) {
  /** @param parts replace those of a right proof; undefined leaves one out. */
  return (...[key, htm, htu, token, parts]: ProofArguments): string =>
    proofAt(secondsAt(site()), key, htm, htu, token, parts);
}

type ProofArguments = [key: ClientKey, htm: string, htu: string, token?: string, parts?: ProofParts];

export const secondsAt = ({ test }: Pick<OAuthSite, 'test'>): number => Math.floor(test.clock.now() / 1000);

function proofAt(
  iat: number,
  ...[key, htm, htu, token, { header = {}, payload = {} } = {}]: ProofArguments
): string {
  const head = { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header };
  const ath = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url');
  const body = { htm, htu, iat, jti: randomUUID(), ath, ...payload };
  const text = `${part(head)}.${part(body)}`;
  const hash = /^.S256$/.test(key.alg) ? 'sha256' : null;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const options = {
    key: key.privateKey,
    dsaEncoding: 'ieee-p1363',
    ...(key.alg === 'PS256' && pss),
  } as const;
  const signature = sign(hash, Buffer.from(text), options);
  return `${text}.${signature.toString('base64url')}`;
}
