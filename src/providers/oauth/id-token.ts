/** What openid-client does not do with an ID token: HS256 (RFC 7518, 3.2), and integers above 2^53. */
import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../crypto/digest.js';
import { parseExactJson } from '../../domain/exact-json.js';

/** @throws Error unless the header says HS256 and the signature is that of the secret. */
export function verifyHs256(idToken: string, secret: string): void {
  const [header = '', payload = '', signature = ''] = idToken.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg?: unknown };
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
  if (alg !== 'HS256' || !constantTimeEqual(signature, expected))
    throw new Error('The ID token is not signed with the client secret.');
}

/** Returns the claims of a verified ID token, with the digits of its integers. */
export function exactClaims(idToken: string): Record<string, unknown> {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString();
  return parseExactJson(payload) as Record<string, unknown>;
}
