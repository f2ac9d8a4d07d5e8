/**
 * Checks of a browser's response before the library decodes it, and of a new key afterwards: steps of WebAuthn
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

/** Genuine responses have a few hundred bytes. */
const maxLength = 64 * 1024;

// 1023 bytes (WebAuthn Level 3, 7.1, step 25) in base64url.
const maxIdLength = 1364;

/** Whether it can be the id of a passkey. A longer id is never queried or registered. */
export function isCredentialId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= maxIdLength;
}

/**
 * Throws unless the parts of the response are bytes in canonical base64url: the library then decodes the same bytes that are
 * checked here, however decoders treat other strings.
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

/** The formats of WebAuthn Level 3, 8, that contain certificates, alone or in one of their statements. */
const certified: ReadonlySet<unknown> = new Set([
  'packed',
  'tpm',
  'android-key',
  'android-safetynet',
  'fido-u2f',
  'apple',
  'compound',
]);

/**
 * Returns the attestation object to verify. No attestation is requested, and some password managers send one anyway: a statement with
 * certificates counts as `none`, because nothing depends on it and the library would fetch revocation lists. A self-attestation, which
 * browsers keep (5.1.3), is verified. Throws for any other format.
 */
export function requestedAttestation(attestationObject: string): string {
  const cbor = loadCbor();
  const attestation = cbor.decodeFirst<Map<unknown, unknown>>(bytesOf(attestationObject));
  const format = attestation.get('fmt');
  const statement = attestation.get('attStmt');
  // That of `compound` is a list of statements.
  const isStatement = format === 'compound' ? Array.isArray(statement) : statement instanceof Map;
  if (!isStatement) throw new Error('The attestation has no statement.');
  const isCertified =
    certified.has(format) && (format !== 'packed' || (statement as Map<unknown, unknown>).has('x5c'));
  if (format !== 'none' && format !== 'packed' && !isCertified)
    throw new Error('The attestation is not the requested one.');
  if (!isCertified) return attestationObject;
  const none = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', attestation.get('authData')],
  ]);
  return Buffer.from(cbor.encode(none as never)).toString('base64url');
}

/**
 * Throws unless the key is of a requested kind and can verify at all: a passkey that never signs in would
 * lock the user out. The library checks the algorithm only; 5.8.5 specifies the curve of each.
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
  if (!jwk) throw new Error('The public key is of a kind that was not requested.');
  // Throws if the point is not on the curve.
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
