/**
 * What an answer of a browser must be before the library decodes it, and what a new key must be after: steps of WebAuthn
 * Level 3 that the library leaves out (docs/decisions/passkeys.md).
 */
import { createPublicKey } from 'node:crypto';
import { decodeBase64url } from '../../crypto/base64url.js';
import { loadCbor } from '../../runtime/load.js';

interface Answer {
  id: string;
  type: string;
  response: object;
}

/** Honest answers have some hundred bytes. */
const maxLength = 64 * 1024;

// 1023 bytes (WebAuthn Level 3, 7.1, step 25) in base64url.
const maxIdLength = 1364;

/** Whether it can be the id of a passkey: what is longer is looked up nowhere, and registered never. */
export function isCredentialId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= maxIdLength;
}

/**
 * Throws unless the parts of the answer are bytes in base64url, written in the one way that there is: what is looked at here is
 * then what the library looks at, whatever each decoder makes of other text.
 */
export function checkAnswer({ id, type, response }: Answer, parts: readonly string[]): void {
  if (type !== 'public-key') throw new Error('The credential is not a public key.');
  const all = response as Record<string, unknown>;
  const clientData = bytesOf(all.clientDataJSON);
  for (const part of [id, ...parts.map((name) => all[name])]) bytesOf(part);
  // Our pages do not show sign-in inside other sites (7.1, steps 10 and 11; 7.2, steps 13 and 14).
  const { crossOrigin = false, topOrigin } = JSON.parse(clientData.toString()) as Record<string, unknown>;
  if (crossOrigin !== false || topOrigin !== undefined)
    throw new Error('The ceremony ran inside a frame of another site.');
}

/**
 * Throws unless the attestation is the one that was asked for, none, or a key's signature under itself, which browsers leave in
 * place then (5.1.3). Others bring certificates that nobody asked for, and the library would fetch their revocation lists.
 */
export function checkAttestation(attestationObject: string): void {
  const attestation = loadCbor().decodeFirst<Map<unknown, unknown>>(bytesOf(attestationObject));
  const format = attestation.get('fmt');
  const statement = attestation.get('attStmt') as Map<unknown, unknown>;
  if (format !== 'none' && !(format === 'packed' && !statement.has('x5c')))
    throw new Error('The attestation is not the one that was asked for.');
}

/**
 * Throws unless the key is of a kind that was asked for, and one that can verify at all: a passkey that never signs in would
 * lock its owner out. The library looks at the algorithm only; 5.8.5 names the curve of each.
 */
export function checkPublicKey(cose: Uint8Array): void {
  const key = loadCbor().decodeFirst<Map<number, unknown>>(new Uint8Array(cose));
  const part = (label: number) => Buffer.from(key.get(label) as Uint8Array).toString('base64url');
  const kind = [key.get(3), key.get(1), typeof key.get(-1) === 'number' ? key.get(-1) : 'bytes'].join();
  const jwk = {
    '-7,2,1': () => ({ kty: 'EC', crv: 'P-256', x: part(-2), y: part(-3) }),
    '-8,1,6': () => ({ kty: 'OKP', crv: 'Ed25519', x: part(-2) }),
    '-257,3,bytes': () => ({ kty: 'RSA', n: part(-1), e: part(-2) }),
  }[kind];
  if (!jwk) throw new Error('The public key is of a kind that was not asked for.');
  // Refuses what is no point of the curve.
  const { asymmetricKeyDetails } = createPublicKey({ key: jwk(), format: 'jwk' });
  const { modulusLength = 2048 } = asymmetricKeyDetails ?? {};
  if (modulusLength < 2048 || cose.length > 2048) throw new Error('The public key is too short or too long.');
}

function bytesOf(text: unknown): Buffer<ArrayBuffer> {
  if (typeof text !== 'string' || text.length > maxLength) throw new Error('Bytes are missing.');
  const bytes = decodeBase64url(text);
  if (!bytes) throw new Error('Bytes are not written as base64url.');
  return bytes;
}
