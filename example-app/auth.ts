/** The service: every sign-in method of the library in one configuration. Keep the lines you want. */
import { communityLicense, createService, knexAdapter, sqliteAdapter, type Service } from 'svc-auth';
import { startIdentityProvider } from './identity-provider.js';
import type { Inbox } from './inbox.js';
import { keptSecret } from './local.js';
import { lineLogger } from './log.js';
import type { Settings } from './settings.js';

export async function createAuth(
  origin: string,
  { databaseUrl, folder }: Settings,
  { emailSender, smsSender }: Inbox,
) {
  const callbacks = {
    google: `${origin}/api/auth/google/callback`,
    orbit: `${origin}/api/auth/oauth/orbit/callback`,
  };
  const identityProvider = await startIdentityProvider(callbacks);

  const service: Service = createService({
    adapter: databaseUrl
      ? knexAdapter({ client: 'pg', connection: databaseUrl })
      : sqliteAdapter(`${folder}/auth.db`),
    // Over https, a copied cookie is worthless after ten minutes, in browsers that can bind a session to a key.
    session: { secret: await keptSecret(`${folder}/session-secret`), bound: true },
    // Encrypts the secrets of authenticator apps.
    encryptionKey: await keptSecret(`${folder}/encryption-key`),
    // Every feature is free with the community license.
    licenseKey: communityLicense,
    appName: 'Acme',
    logger: lineLogger,
    // Mails users what changes in their account, and sign-ins from new devices, with the link “This wasn’t me”.
    notices: { sender: emailSender, baseUrl: `${origin}/api/auth/not-me` },
    providers: {
      // Free.
      emailCode: { sender: emailSender },
      magicLink: { sender: emailSender, baseUrl: `${origin}/api/auth/magic-link/verify` },
      emailPassword: { sender: emailSender, resetUrl: `${origin}/reset` },
      google: identityProvider.clients.google,
      // Pro.
      oauth: { orbit: identityProvider.clients.orbit },
      // These text messages appear in the inbox and cost nothing. In production, allow only the countries you serve.
      phoneOtp: { sender: smsSender, allowCountry: () => true },
      totp: true,
      webauthn: { rpId: new URL(origin).hostname, origins: [origin] },
      sessions: { canImpersonate: async ({ id }) => (await service.users.get(id)).roles.includes('admin') },
      refresh: true,
      apiKeys: { scopes: ['notes:read', 'organization:read'] },
      orgs: { sender: emailSender, inviteUrl: `${origin}/join` },
      account: { sender: emailSender },
    },
  });
  return { service, identityProvider };
}
