/** Proofs that a client has the key to which its tokens are bound (RFC 9449, 4): for the OAuth server and for bearer sessions. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { sha256 } from './digest.js';
import { readJws } from './jws.js';

/** For how many seconds before and after its time a proof is accepted. */
const windowSeconds = 60;
const maxIdLength = 255;

export class ProofRefusal extends Error {
  constructor(
    message: string,
    /** Whether nothing but the clock of the client may be wrong. */
    readonly isOfAnotherTime = false,
  ) {
    super(message);
  }
}

export interface Proof {
  /** Of its key (RFC 7638). */
  thumbprint: string;
  id: string;
  /** When it is no longer accepted. */
  expiresAt: Date;
}

export interface ProvenRequest {
  /** The header `DPoP`. */
  header: string | readonly string[] | undefined;
  method: string;
  /** The address as clients know it, or the addresses that it may have. Their queries do not count. */
  url: string | readonly string[];
  /** The access token that comes with the request. */
  token?: string;
  now: number;
}

/** Checks everything but whether it was used before. @throws ProofRefusal */
export function readProof({ header, method, url, token, now }: ProvenRequest): Proof {
  const jws = typeof header === 'string' ? readJws(header) : null;
  if (!jws) throw new ProofRefusal('The header DPoP must be one proof, signed with an algorithm of algs.');
  const key = keyOf(jws.header['jwk']);
  if (jws.header['typ'] !== 'dpop+jwt' || !key || !jws.isSignedBy(key))
    throw new ProofRefusal('The proof is not signed by its key.');
  const { ath, htm, htu, iat, jti } = jws.payload;
  if (htm !== method) throw new ProofRefusal('The proof is for another method.');
  const address = addressOf(htu);
  const urls = typeof url === 'string' ? [url] : url;
  if (address === null || !urls.some((each) => addressOf(each) === address))
    throw new ProofRefusal('The proof is for another address.');
  if (typeof iat !== 'number' || Math.abs(now / 1000 - iat) > windowSeconds)
    throw new ProofRefusal('The time of the proof is not now.', true);
  if (token !== undefined && ath !== sha256(token))
    throw new ProofRefusal('The proof is for another access token.');
  if (typeof jti !== 'string' || jti === '' || jti.length > maxIdLength)
    throw new ProofRefusal('The proof has no id.');
  const expiresAt = new Date(Math.ceil(iat + windowSeconds + 1) * 1000);
  return { thumbprint: thumbprintOf(key), id: jti, expiresAt };
}

/** Null for a key that is private, or that cannot have signed with one of our algorithms. */
function keyOf(jwk: unknown): KeyObject | null {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk || 'k' in jwk) return null;
  try {
    return createPublicKey({ format: 'jwk', key: jwk as JsonWebKey });
  } catch {
    return null;
  }
}

/** The members in the order of the alphabet, and no others (RFC 7638, 3.2). Those that the key does not have are left out. */
function thumbprintOf(key: KeyObject): string {
  const { crv, e, kty, n, x, y } = key.export({ format: 'jwk' });
  return sha256(JSON.stringify({ crv, e, kty, n, x, y }));
}

/** Without query and fragment, in the form of the URL standard. Null if it is not an address. */
function addressOf(value: unknown): string | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null;
  const { origin, pathname } = new URL(value);
  return origin + pathname;
}
