/** An application whose accounts have everything that the account pages show, for tests in a browser. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createProRouter, createService, memoryAdapter } from 'svc-auth';
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { outbox, smsOutbox, testLicense } from 'svc-auth/testing';
import type { AccountApplication } from '../browser/support/account-application.js';
import { codeAt } from './authenticator-app.js';

/** @param templates of the application, which also serves `/own.css`. @param pages further options of the pages. */
export async function startAccountApplication(
  templates: PagesOptions['templates'] = {},
  pages: PagesOptions = {},
): Promise<AccountApplication> {
  const app = express();
  const server = await new Promise<ReturnType<typeof app.listen>>((resolve) => {
    const opened = app.listen(0, '127.0.0.1', () => resolve(opened));
    // While a process is busy, a client would use a connection that the server closes at that moment.
    opened.keepAliveTimeout = 0;
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const [sender, sms] = [outbox(), smsOutbox()];
  const service = createService({
    adapter: memoryAdapter(),
    appName: 'Acme',
    session: { secret: 'a secret of the browser tests, 32 bytes long', maxPerUser: 10 },
    encryptionKey: 'an encryption key of the tests, 32 bytes or more',
    usernames: { enabled: true },
    ...testLicense(),
    providers: {
      emailCode: { sender },
      emailPassword: { sender, resetUrl: `${origin}/reset` },
      webauthn: { rpId: 'localhost', origins: [origin], secondFactor: true },
      phoneOtp: { sender: sms, allowCountry: () => true },
      totp: { sender, email: true, trustedBrowsers: true },
      account: { sender },
      sessions: true,
      refresh: true,
      apiKeys: true,
    },
    rateLimit: { maxPerWindow: 100 },
  });
  await service.init();
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  app.get('/own.css', (_req, res) => void res.type('css').send('.own { letter-spacing: 3px; }'));
  app.use(createPages(service, { name: 'Acme', accent: '#1f6b4f', templates, ...pages }));
  return {
    origin,
    codeTo: (email) => sender.lastCode(email) ?? '',
    textTo: (phone) => sms.lastCode(phone) ?? '',
    authenticatorCode: (secret) => codeAt(secret, Date.now()),
    async signIn(email) {
      await service.emailCode.sendCode({ email });
      const code = sender.lastCode(email) ?? '';
      const { session } = await service.emailCode.verify({ email, code }, { startSession: true });
      return session?.token ?? '';
    },
    async signInAsGuest() {
      return (await service.sessionsProvider.createGuest()).token;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
