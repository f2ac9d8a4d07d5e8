/**
 * ID tokens of the mock provider: signed with RS256 by its own key (RFC 7515), with the overrides
 * that a test sets.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

interface IdTokenOverrides {
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
    /** The keys, as `jwks_uri` returns them (RFC 7517, 5). */
    published: {
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'mock', alg: 'RS256', use: 'sig' }],
    },

    /** Creates the unknown key in advance, because that takes longer than a response should. */
    prepare({ signature }: IdTokenOverrides): void {
      if (signature === 'unknown-key') otherKey();
    },

    /** Signs an ID token. @param account the claims of the user, including the subject. */
    sign(account: Record<string, unknown>, nonce: string | undefined, overrides: IdTokenOverrides): string {
      // The real time, which the verifier of the token also uses.
      const now = Math.floor(new Date().getTime() / 1000);
      const iat = overrides.expired ? now - 7200 : now;
      const claims = {
        ...account,
        iss: overrides.issuer ?? issuer,
        aud: overrides.audience ?? clientId,
        iat,
        exp: iat + 3600,
        nonce: overrides.nonce ?? nonce,
        ...overrides.claims,
      };
      if (overrides.signature === 'none') return `${encode({ alg: 'none' })}.${encode(claims)}.`;
      const key = overrides.signature === 'unknown-key' ? otherKey() : privateKey;
      const input = `${encode({ alg: 'RS256', kid: 'mock', typ: 'JWT' })}.${encode(claims)}`;
      return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
    },
  };
}
