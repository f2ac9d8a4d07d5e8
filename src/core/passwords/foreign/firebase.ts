/** Firebase's variant of scrypt: the derived key encrypts the signer key of the project, which is a secret that only the project knows. */
import { createCipheriv } from 'node:crypto';
import { constantTimeEqual } from '../../../crypto/digest.js';
import { fromBase64, fromBase64Url } from './decode.js';
import { malformed, type ForeignCheck } from './foreign-check.js';
import { assertScryptCost, deriveScrypt } from './scrypt.js';

export interface FirebaseParameters {
  signerKey: Buffer;
  saltSeparator: Buffer;
  rounds: number;
  memCost: number;
}

const format = 'a hash of Firebase';

/** The form in which parts are stored. Without the parameters of the project: those are configured. */
export function encodeFirebase(salt: Buffer, key: Buffer): string {
  return `$firebase-scrypt$${salt.toString('base64')}$${key.toString('base64')}`;
}

/** Returns the bytes of both alphabets of base64: exports have either. */
export function fromAnyBase64(text: string): Buffer | null {
  return fromBase64(text) ?? fromBase64Url(text);
}

/** @returns null for another format. @throws ForeignHashError if the hash is malformed. */
export function readFirebaseHash(hash: string, parameters: FirebaseParameters): ForeignCheck | null {
  const [, saltText = '', keyText] = /^\$firebase-scrypt\$([^$]*)\$([^$]+)$/.exec(hash) ?? [];
  if (keyText === undefined) return null;
  const salt = saltText === '' ? Buffer.alloc(0) : fromAnyBase64(saltText);
  const key = fromAnyBase64(keyText);
  if (!salt || !key || key.length !== parameters.signerKey.length || salt.length > 255)
    throw malformed(format);
  const cost = costOf(parameters);
  return {
    scale: 'scrypt',
    work: cost.n * cost.r * cost.p,
    matches: async (plain) => constantTimeEqual(await hashFirebase(plain, salt, parameters), key),
    repeat: (plain) => hashFirebase(plain, salt, parameters),
  };
}

export async function hashFirebase(
  plain: string,
  salt: Buffer,
  parameters: FirebaseParameters,
): Promise<Buffer> {
  const { signerKey, saltSeparator } = parameters;
  const salted = Buffer.concat([salt, saltSeparator]);
  const derived = await deriveScrypt(plain, salted, 32, costOf(parameters));
  // The counter begins at zero: each derived key encrypts only this one text.
  const cipher = createCipheriv('aes-256-ctr', derived, Buffer.alloc(16));
  return Buffer.concat([cipher.update(signerKey), cipher.final()]);
}

/** @throws ForeignHashError if the cost is over the ceilings of scrypt. */
export function assertFirebaseCost(parameters: FirebaseParameters): void {
  assertScryptCost(format, costOf(parameters));
}

function costOf({ rounds, memCost }: FirebaseParameters) {
  return { n: 2 ** memCost, r: rounds, p: 1 };
}
