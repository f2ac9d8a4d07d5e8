/** A small application with the pages of the package, for tests in a browser. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createProRouter, createService, memoryAdapter, optionalSession } from 'svc-auth';
import { createPages } from 'svc-auth/pages';
import { outbox, testLicense } from 'svc-auth/testing';
import type { PageApplication } from '../browser/support/page-application.js';

export async function startPageApplication(): Promise<PageApplication> {
  const app = express();
  const server = await new Promise<ReturnType<typeof app.listen>>((resolve) => {
    const opened = app.listen(0, '127.0.0.1', () => resolve(opened));
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const sender = outbox();
  const service = createService({
    adapter: memoryAdapter(),
    appName: 'Acme',
    session: { secret: 'a secret of the browser tests, 32 bytes long' },
    ...testLicense(),
    providers: {
      emailCode: { sender },
      magicLink: { sender, baseUrl: `${origin}/api/auth/magic-link/verify` },
      emailPassword: { sender, resetUrl: `${origin}/reset` },
      webauthn: { rpId: 'localhost', origins: [origin] },
      account: { sender },
      sessions: true,
    },
    rateLimit: { maxPerWindow: 100 },
  });
  await service.init();
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  app.use(createPages(service, { name: 'Acme', accent: '#1f6b4f' }));
  app.get(['/', '/notes'], optionalSession(service), (req, res) => {
    res.send(`<!doctype html><title>Notes</title><h1>${req.user ? 'Your notes' : 'Welcome'}</h1>`);
  });
  return {
    origin,
    codeTo: (email) => sender.lastCode(email) ?? '',
    linkTo: (email) => sender.lastLink(email) ?? '',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
