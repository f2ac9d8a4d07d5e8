/** The configuration of an application that leaves its database for another one, or svc-auth for another system. */
import { communityLicense, consoleSender, knexAdapter, sqliteAdapter, type ServiceConfig } from 'svc-auth';

type Providers = NonNullable<ServiceConfig['providers']>;

/** @param more what only the running application needs, such as its senders. */
export function configOn(url: string, encryptionKey: string, more: Providers = {}): ServiceConfig {
  return {
    adapter: url.startsWith('postgres')
      ? knexAdapter({ client: 'pg', connection: url })
      : sqliteAdapter(url.replace(/^file:/, '')),
    licenseKey: communityLicense,
    encryptionKey,
    session: { secret: process.env['AUTH_SECRET'] ?? 'a secret that no token of the tests needs' },
    languages: { offered: ['en', 'de'], default: 'en' },
    usernames: { enabled: true },
    providers: {
      emailPassword: { sender: consoleSender() },
      totp: { email: true, sender: consoleSender() },
      webauthn: { rpId: 'acme.test', rpName: 'Acme', origins: ['https://acme.test'] },
      apiKeys: { foreign: true },
      orgs: true,
      sessions: { guests: true },
      ...more,
    },
  };
}
