/** The public keys of a client that proves its identity with a signature instead of a secret (RFC 7521, RFC 7523). */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { InvalidRequestError } from '../errors/catalog.js';

type Jwk = Readonly<Record<string, unknown>>;

const maxKeys = 10;
const minModulusBits = 2048;
/** Members of private and symmetric keys (RFC 7518, 6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** What is stored of a key, and what can sign with it. Other members, such as certificates, are ignored (RFC 7517, 4). */
const keyTypes: Readonly<
  Record<string, { members: readonly string[]; curve?: string; algorithms: readonly string[] }>
> = {
  RSA: { members: ['n', 'e'], algorithms: ['RS256', 'PS256'] },
  EC: { members: ['crv', 'x', 'y'], curve: 'P-256', algorithms: ['ES256'] },
  OKP: { members: ['crv', 'x'], curve: 'Ed25519', algorithms: ['EdDSA', 'Ed25519'] },
};

/**
 * Returns the key set as it is stored, without members that no one reads.
 * @throws InvalidRequestError for a private key, and for one that cannot verify a signature.
 */
export function publicKeys({ keys }: { keys: readonly object[] }): { keys: Jwk[] } {
  if (keys.length === 0 || keys.length > maxKeys)
    throw new InvalidRequestError(`jwks.keys must have 1 to ${maxKeys} keys.`);
  const checked = keys.map((key, index) => publicKey(key as Jwk, `jwks.keys.${index}`));
  const ids = checked.flatMap(({ kid }) => kid ?? []);
  if (new Set(ids).size < ids.length) throw new InvalidRequestError('jwks.keys must have different kids.');
  return { keys: checked };
}

function publicKey(key: Jwk, name: string): Jwk {
  const refuse = (reason: string): never => {
    throw new InvalidRequestError(`${name} ${reason}.`);
  };
  const secret = privateMembers.find((member) => Object.hasOwn(key, member));
  if (secret !== undefined) return refuse(`must be a public key: remove ${secret}, and replace the key`);
  const { alg, crv, kid, kty, use = 'sig' } = key;
  const type = typeof kty === 'string' && Object.hasOwn(keyTypes, kty) ? keyTypes[kty] : undefined;
  if (!type) return refuse(`must have a kty of ${Object.keys(keyTypes).join(', ')}`);
  if (type.curve !== undefined && crv !== type.curve) return refuse(`must have the crv ${type.curve}`);
  if (use !== 'sig') return refuse('must have the use sig');
  if (alg !== undefined && !type.algorithms.includes(alg as string))
    return refuse(`must have an alg of ${type.algorithms.join(', ')}`);
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > 255))
    return refuse('must have a kid of 1 to 255 characters');
  const material = { kty, ...Object.fromEntries(type.members.map((member) => [member, key[member]])) };
  const bits = modulusBits(material);
  if (bits === null) return refuse('is not a valid key');
  if (bits !== undefined && (bits < minModulusBits || bits > 8192))
    return refuse(`must have ${minModulusBits} to 8192 bits`);
  return { ...material, use, ...(kid !== undefined && { kid }), ...(alg !== undefined && { alg }) };
}

/** Undefined for keys of a curve, null for an invalid key. */
function modulusBits(key: Jwk): number | undefined | null {
  try {
    return createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).asymmetricKeyDetails?.modulusLength;
  } catch {
    return null;
  }
}
