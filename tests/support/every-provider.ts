/** The configuration with every provider, in JSON but for the edges: one process can tell it to another. */
import type { EmailSender, ServiceConfig, SmsSender } from 'svc-auth';
import { cheapHasher } from './make-service.js';

type Providers = NonNullable<ServiceConfig['providers']>;

export const origin = 'https://app.test';
export const encryptionKey = 'an encryption key of the tests, 32 bytes or more';

type Client = { clientId: string; clientSecret: string; redirectUri: string };

/** What tests set besides. */
export interface EveryOptions {
  graceMs?: number;
  maxPerCountry?: number;
  rateLimit?: ServiceConfig['rateLimit'];
  /** An identity provider, for `google` and for `oauth('acme')`. */
  idp?: Client & { issuer: string };
  /** In its place for `oauth('acme')`. */
  acme?: NonNullable<Providers['oauth']>[string];
}

export interface Edges {
  mail: EmailSender;
  texts: SmsSender;
}

export function everyProvider({ mail, texts }: Edges, options: EveryOptions): Providers {
  const { graceMs, maxPerCountry, idp, acme = idp } = options;
  return {
    emailCode: { sender: mail },
    magicLink: { sender: mail, baseUrl: `${origin}/api/auth/magic-link/verify` },
    emailPassword: { sender: mail, resetUrl: `${origin}/reset`, hasher: cheapHasher() },
    phoneOtp: { sender: texts, ...(maxPerCountry !== undefined && { maxPerCountry }) },
    totp: true,
    webauthn: { rpId: 'app.test', origins: [origin] },
    sessions: true,
    refresh: graceMs === undefined ? true : { graceMs },
    apiKeys: { scopes: ['read'] },
    orgs: true,
    account: { sender: mail },
    ...(idp && { google: idp }),
    ...(acme && { oauth: { acme } }),
  };
}
