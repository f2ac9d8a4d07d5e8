/** Who may come in, and how: every way to sign in that the library has, in one configuration. Keep the lines you want. */
import { createService, knexAdapter, pgliteAdapter } from 'svc-auth';
import { testLicense } from 'svc-auth/testing';
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

  const service = createService({
    adapter: databaseUrl
      ? knexAdapter({ client: 'pg', connection: databaseUrl })
      : pgliteAdapter(`${folder}/database`),
    session: { secret: await keptSecret(`${folder}/session-secret`) },
    // Encrypts the secrets of authenticator apps.
    encryptionKey: await keptSecret(`${folder}/encryption-key`),
    // A licence for the Pro tier, made at every start with a key pair of its own, and good for nothing else.
    // In production, one line: licenseKey: process.env.LICENSE_KEY.
    ...testLicense(),
    appName: 'Acme',
    logger: lineLogger,
    providers: {
      // Free.
      emailCode: { sender: emailSender },
      magicLink: { sender: emailSender, baseUrl: `${origin}/api/auth/magic-link/verify` },
      emailPassword: { sender: emailSender, resetUrl: `${origin}/reset` },
      google: identityProvider.clients.google,
      // Pro.
      oauth: { orbit: identityProvider.clients.orbit },
      // These text messages appear in the inbox and cost nothing. In production, name the countries you serve.
      phoneOtp: { sender: smsSender, allowCountry: () => true },
      totp: true,
      webauthn: { rpId: new URL(origin).hostname, origins: [origin] },
      sessions: true,
      refresh: true,
      apiKeys: { scopes: ['notes:read', 'organisation:read'] },
      orgs: { sender: emailSender, inviteUrl: `${origin}/join` },
      account: { sender: emailSender },
    },
  });
  return { service, identityProvider };
}
