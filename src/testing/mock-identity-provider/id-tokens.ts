/** ID tokens of the mock provider: RS256 by a key of its own (RFC 7515), or wrong in the one way that a test asks for. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

interface Lies {
  audience?: string | string[];
  issuer?: string;
  nonce?: string;
  expired?: boolean;
  signature?: 'none' | 'unknown-key';
  claims?: Record<string, unknown>;
}

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

export function makeIdTokens(issuer: string, clientId: string) {
  const { privateKey, publicKey } = newKey();
  let unknownKey: KeyObject | undefined;
  const otherKey = () => (unknownKey ??= newKey().privateKey);

  return {
    /** The keys, as `jwks_uri` tells them (RFC 7517, 5). */
    published: {
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'mock', alg: 'RS256', use: 'sig' }],
    },

    /** Makes the key that such a lie needs, which takes longer than an answer should. */
    prepare({ signature }: Lies): void {
      if (signature === 'unknown-key') otherKey();
    },

    /** @param about what the provider says of the person, subject included. */
    sign(about: Record<string, unknown>, nonce: string | undefined, lies: Lies): string {
      // Whoever checks the token takes the time of the world, too.
      const now = Math.floor(new Date().getTime() / 1000);
      const iat = lies.expired ? now - 7200 : now;
      const claims = {
        ...about,
        iss: lies.issuer ?? issuer,
        aud: lies.audience ?? clientId,
        iat,
        exp: iat + 3600,
        nonce: lies.nonce ?? nonce,
        ...lies.claims,
      };
      if (lies.signature === 'none') return `${encode({ alg: 'none' })}.${encode(claims)}.`;
      const key = lies.signature === 'unknown-key' ? otherKey() : privateKey;
      const input = `${encode({ alg: 'RS256', kid: 'mock', typ: 'JWT' })}.${encode(claims)}`;
      return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
    },
  };
}
