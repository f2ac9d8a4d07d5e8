/** A service with every method, for faults that reach all routes. A rejection that nobody handles fails a test by itself: Jest sees to it. */
import type { EmailSender, SmsSender } from 'svc-auth';
import type { Overrides } from '../../support/make-service.js';

// Port 9 is closed: no identity provider answers.
const nobody = 'http://127.0.0.1:9';

/** Every provider beside the free ones, which `makeService` has. */
export function everyProvider(mail: EmailSender, texts: SmsSender): NonNullable<Overrides['providers']> {
  const client = { clientId: 'acme', clientSecret: 'a secret of the client' };
  const redirectUri = 'https://app.test/api/auth/oauth/acme/callback';
  return {
    sessions: true,
    refresh: true,
    apiKeys: { scopes: ['read'] },
    totp: true,
    webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
    account: { sender: mail },
    orgs: { sender: mail, inviteUrl: 'https://app.test/join' },
    phoneOtp: { sender: texts },
    google: { ...client, redirectUri: 'https://app.test/api/auth/google/callback', issuer: nobody },
    oauth: {
      acme: {
        ...client,
        redirectUri,
        authorizationEndpoint: `${nobody}/authorize`,
        tokenEndpoint: `${nobody}/token`,
        userInfoEndpoint: `${nobody}/me`,
      },
    },
  };
}

export const encryptionKey = 'an encryption key of the tests, 32 bytes or more';

/** Milliseconds of the wall until `call` is through, and what it answered. */
export async function timed<T>(call: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const start = performance.now();
  const result = await call();
  return { ms: performance.now() - start, result };
}
