/** The configuration with every provider, in JSON but for the edges: one process can tell it to another. */
import type { EmailSender, PasswordHasher, ServiceConfig, SmsSender } from 'svc-auth';
import type { MockIdentityProvider } from 'svc-auth/testing';
import { cheapHasher } from './make-service.js';

type Providers = NonNullable<ServiceConfig['providers']>;
type Google = NonNullable<Providers['google']>;

export const origin = 'https://app.test';
export const encryptionKey = 'an encryption key of the tests, 32 bytes or more';

/** Where identity providers lead back to: `/google`, or `/oauth/acme` for instance. */
export const callbackOf = (path: string) => `${origin}/api/auth${path}/callback`;

/** What tests set besides. */
export interface EveryOptions {
  graceMs?: number;
  maxPerCountry?: number;
  rateLimit?: ServiceConfig['rateLimit'];
  /** In place of invites by mail, which are limited. */
  orgs?: true;
  /** Whether users with an unverified address may create organizations and API keys. */
  allowUnverified?: boolean;
  /** For `google` and for `oauth('acme')`; where neither this nor the next are given, nobody answers. */
  idp?: Google & { issuer: string };
  google?: Google;
  oauth?: NonNullable<Providers['oauth']>;
}

export interface Edges {
  mail: EmailSender;
  texts: SmsSender;
  /** One that costs nothing, unless a test is about it. */
  hasher?: PasswordHasher;
}

// Port 9 is closed.
const nowhere = 'http://127.0.0.1:9';
const stranger = { clientId: 'acme', clientSecret: 'a secret of the client' };

export function everyProvider({ mail, texts, hasher = cheapHasher() }: Edges, options: EveryOptions = {}) {
  const { graceMs, maxPerCountry, idp, google, oauth, orgs, allowUnverified = false } = options;
  const endpoints = {
    authorizationEndpoint: `${nowhere}/authorize`,
    tokenEndpoint: `${nowhere}/token`,
    userInfoEndpoint: `${nowhere}/me`,
  };
  return {
    emailCode: { sender: mail },
    magicLink: { sender: mail, baseUrl: `${origin}/api/auth/magic-link/verify` },
    emailPassword: { sender: mail, resetUrl: `${origin}/reset`, hasher },
    phoneOtp: {
      sender: texts,
      allowCountry: () => true,
      ...(maxPerCountry !== undefined && { maxPerCountry }),
    },
    totp: true,
    webauthn: { rpId: 'app.test', origins: [origin] },
    sessions: true,
    refresh: graceMs === undefined ? true : { graceMs },
    apiKeys: { scopes: ['read', 'write'], allowUnverified },
    orgs: orgs ?? { sender: mail, inviteUrl: `${origin}/invite`, allowUnverified },
    account: { sender: mail },
    google: google ?? idp ?? { ...stranger, issuer: nowhere, redirectUri: callbackOf('/google') },
    oauth: {
      acme: idp ?? { ...stranger, ...endpoints, redirectUri: callbackOf('/oauth/acme') },
      ...oauth,
    },
  } satisfies Providers;
}

/** How it is configured at a service, by its issuer. */
export const clientOf = ({ issuer, client }: MockIdentityProvider) => ({ issuer, ...client });
