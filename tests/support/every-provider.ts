/** The configuration with every provider. Apart from the fakes it is JSON, so that one process can send it to another. */
import type { EmailSender, PasswordHasher, ServiceConfig, SmsSender } from 'svc-auth';
import type { MockIdentityProvider } from 'svc-auth/testing';
import { cheapHasher } from './make-service.js';

type Providers = NonNullable<ServiceConfig['providers']>;
type Google = NonNullable<Providers['google']>;

export const origin = 'https://app.test';
/** For the routes of connected apps. */
export const oauthServer = {
  issuer: 'https://app.test',
  resources: { 'https://app.test/mcp': { scopes: { read: 'Read' } } },
};

export const encryptionKey = 'an encryption key of the tests, 32 bytes or more';

/** The redirect URI for a provider's path, for example `/google` or `/oauth/acme`. */
export const callbackUrl = (path: string) => `${origin}/api/auth${path}/callback`;

/** Further options that tests set. */
export interface EveryProviderOptions {
  graceMs?: number;
  maxPerCountry?: number;
  rateLimit?: ServiceConfig['rateLimit'];
  signUp?: ServiceConfig['signUp'];
  /** Configures organizations without mailed invites, which are rate-limited. */
  orgs?: true;
  /** Whether users with an unverified address may create organizations and API keys. */
  allowUnverified?: boolean;
  /** Options of the magic link. */
  links?: { withCode?: boolean; confirmElsewhere?: boolean };
  /** For `google` and for `oauth('acme')`. Without this option and `google` or `oauth`, the provider is unreachable. */
  idp?: Google & { issuer: string };
  google?: Google;
  oauth?: NonNullable<Providers['oauth']>;
}

export interface ProviderFakes {
  mail: EmailSender;
  sms: SmsSender;
  /** Defaults to a hasher that costs almost nothing. */
  hasher?: PasswordHasher;
}

// Port 9 is closed.
const nowhere = 'http://127.0.0.1:9';
const unreachableClient = { clientId: 'acme', clientSecret: 'a secret of the client' };

export function everyProvider(
  { mail, sms, hasher = cheapHasher() }: ProviderFakes,
  options: EveryProviderOptions = {},
) {
  const { graceMs, maxPerCountry, idp, google, oauth, orgs, links, allowUnverified = false } = options;
  const endpoints = {
    authorizationEndpoint: `${nowhere}/authorize`,
    tokenEndpoint: `${nowhere}/token`,
    userInfoEndpoint: `${nowhere}/me`,
  };
  return {
    emailCode: { sender: mail },
    magicLink: { sender: mail, baseUrl: `${origin}/api/auth/magic-link/verify`, ...links },
    emailPassword: { sender: mail, resetUrl: `${origin}/reset`, reset: 'both' as const, hasher },
    phoneOtp: {
      sender: sms,
      allowCountry: () => true,
      ...(maxPerCountry !== undefined && { maxPerCountry }),
    },
    totp: { sender: mail, email: true, trustedBrowsers: true as const },
    webauthn: {
      rpId: 'app.test',
      origins: [origin],
      relatedOrigins: ['https://app.example'],
      secondFactor: true,
      signUp: { address: 'verified', sender: mail },
    },
    sessions: true,
    refresh: graceMs === undefined ? true : { graceMs },
    apiKeys: { scopes: ['read', 'write'], allowUnverified },
    orgs: orgs ?? { sender: mail, inviteUrl: `${origin}/invite`, allowUnverified },
    account: { sender: mail },
    google: google ?? idp ?? { ...unreachableClient, issuer: nowhere, redirectUri: callbackUrl('/google') },
    oauth: {
      acme: idp ?? { ...unreachableClient, ...endpoints, redirectUri: callbackUrl('/oauth/acme') },
      ...oauth,
    },
  } satisfies Providers;
}

/** The provider options for a mock identity provider, configured by its issuer. */
export const clientOptions = ({ issuer, client }: MockIdentityProvider) => ({ issuer, ...client });
