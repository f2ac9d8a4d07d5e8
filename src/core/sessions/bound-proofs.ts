/**
 * Reads the proofs of bound sessions: JWTs that the browser signs with the key of a session (W3C draft Device Bound Session Credentials,
 * "DBSC Proof JWT Syntax"). Decides nothing about sessions and challenges (bound-sessions.ts).
 */
import type { JWSHeaderParameters } from 'jose';
import type { BindingAlgorithm, BindingKey } from '../../domain/session-binding.js';
import { importJose } from '../../runtime/jose.cjs';

export type PublicBindingKey = Pick<BindingKey, 'alg' | 'jwk'>;

export interface Proof {
  challenge: string;
  token: string;
}

/** Characters. One with an RSA key of 4096 bits has about 2500. */
const maxProofLength = 6_000;

/** The members of a public key, which are those of its thumbprint (RFC 7638, 3.2), and the only algorithms of the draft that sign. */
const membersOf: Readonly<Record<BindingAlgorithm, { kty: string; members: readonly string[] }>> = {
  ES256: { kty: 'EC', members: ['crv', 'x', 'y'] },
  RS256: { kty: 'RSA', members: ['e', 'n'] },
};

export const bindingAlgorithms = Object.keys(membersOf) as readonly BindingAlgorithm[];

/** Characters of base64url: 4096 bits. The library refuses a modulus of less than 2048 bits. */
const maxModulus = 683;

/** Returns the challenge of a proof, whose signature is not verified yet. Null for a malformed proof. */
export async function readChallenge(token: string): Promise<Proof | null> {
  if (token.length > maxProofLength) return null;
  const { decodeJwt } = await importJose();
  try {
    const { jti } = decodeJwt(token);
    return typeof jti === 'string' && jti !== '' ? { challenge: jti, token } : null;
  } catch {
    return null;
  }
}

/** Returns the key of a registration, which its header contains and which has signed it. Null if it is not one. */
export async function keyOfRegistration({ token }: Proof): Promise<PublicBindingKey | null> {
  const { decodeProtectedHeader } = await importJose();
  let key: PublicBindingKey | null;
  try {
    key = publicKeyOf(decodeProtectedHeader(token));
  } catch {
    return null;
  }
  return key && (await isSignedWith(key, token)) ? key : null;
}

/** Returns whether the key has signed a proof. */
export async function isSignedWith({ alg, jwk }: PublicBindingKey, token: string): Promise<boolean> {
  const { compactVerify, importJWK } = await importJose();
  try {
    const { protectedHeader } = await compactVerify(token, await importJWK({ ...jwk }, alg), {
      algorithms: [alg],
    });
    return isProofHeader(protectedHeader);
  } catch {
    return false;
  }
}

/** A token of another kind that the same key has signed is not a proof (RFC 8725, 3.11). */
function isProofHeader({ typ, b64, crit }: JWSHeaderParameters): boolean {
  return typ === 'dbsc+jwt' && b64 === undefined && crit === undefined;
}

function publicKeyOf({ alg, jwk }: { alg?: string; jwk?: unknown }): PublicBindingKey | null {
  const algorithm = bindingAlgorithms.find((each) => each === alg);
  if (!algorithm || typeof jwk !== 'object' || jwk === null) return null;
  const { kty, members } = membersOf[algorithm];
  const given = jwk as Record<string, unknown>;
  if (given['kty'] !== kty || 'd' in given) return null;
  const key: Record<string, string> = { kty };
  for (const member of members) {
    const value = given[member];
    if (typeof value !== 'string' || value === '' || value.length > maxModulus) return null;
    key[member] = value;
  }
  if (kty === 'RSA' && key['e'] !== 'AQAB') return null;
  return kty === 'EC' && key['crv'] !== 'P-256' ? null : { alg: algorithm, jwk: key };
}
