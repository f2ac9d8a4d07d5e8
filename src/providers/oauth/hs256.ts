/** ID tokens that the provider signs with the client secret (RFC 7518, 3.2), which openid-client does not verify. */
import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../crypto/digest.js';

/** @throws Error unless the header says HS256 and the signature is that of the secret. */
export function verifyHs256(idToken: string, secret: string): void {
  const [header = '', payload = '', signature = ''] = idToken.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg?: unknown };
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url');
  if (alg !== 'HS256' || !constantTimeEqual(signature, expected))
    throw new Error('The ID token is not signed with the client secret.');
}
