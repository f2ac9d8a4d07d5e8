/**
 * Sign in with Apple (https://developer.apple.com/documentation/signinwithapplerestapi). The client secret is a token that is signed for each request. With scopes,
 * Apple responds with a cross-site form post, to which browsers add no SameSite=Lax cookie; see docs/providers/oauth.md.
 * The name is in the field `user` of the first such form alone, unsigned, and never in the ID token.
 */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { checkOptions, refuseOption } from '../../../errors/options.js';
import type { OpenIdPreset } from './preset.js';

export interface AppleKey {
  teamId: string;
  keyId: string;
  /** The content of the `.p8` file: PEM of a P-256 key. */
  privateKey: string;
}

export interface ApplePreset extends OpenIdPreset {
  clientSecret: (clientId: string) => string;
}

const audience = 'https://appleid.apple.com';

/** Seconds. Apple allows six months; a secret that serves one request need not outlive it. */
const secretTtlSec = 5 * 60;

/** @throws ConfigError for an invalid private key, and for a missing or unknown option. */
export function apple(options: AppleKey): ApplePreset {
  checkOptions('apple(…)', options, ['teamId', 'keyId', 'privateKey']);
  const { teamId, keyId, privateKey } = options;
  for (const [name, value] of Object.entries({ teamId, keyId }))
    if (typeof value !== 'string' || value === '') refuseOption(`apple(…).${name}`, 'must be a string');
  const key = readKey(privateKey);
  return {
    issuer: audience,
    tokenEndpointAuthMethod: 'client_secret_post',
    scopes: ['openid', 'email', 'name'],
    authorizationParams: { response_mode: 'form_post' },
    clientSecret: (clientId) => clientSecretOf({ teamId, keyId, key, clientId }),
    mapProfile: (raw) => ({
      id: raw['sub'] as string,
      email: typeof raw['email'] === 'string' ? raw['email'] : null,
      // A boolean now, a string in older tokens.
      emailVerified: raw['email_verified'] === true || raw['email_verified'] === 'true',
    }),
  };
}

interface SecretParts {
  teamId: string;
  keyId: string;
  key: KeyObject;
  clientId: string;
}

/** An ES256 token (RFC 7518, 3.4), as Apple's page "Creating a client secret" requires. */
function clientSecretOf({ teamId, keyId, key, clientId }: SecretParts): string {
  // Apple compares with the real time, not with the service's clock.
  const iat = Math.floor(new Date().getTime() / 1000);
  const input = [
    { alg: 'ES256', kid: keyId },
    { iss: teamId, iat, exp: iat + secretTtlSec, aud: audience, sub: clientId },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** Called at startup, so that a wrong key fails there and not at the first sign-in. */
function readKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Nothing of the key may be in the error.
  }
  refuseOption('apple(…).privateKey', 'must be the PEM of a P-256 key, the content of the .p8 file');
}
