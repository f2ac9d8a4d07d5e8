/** An application with bound sessions over https, for tests in a browser. */
import { X509Certificate, createHash } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createProRouter, createService, memoryAdapter, requireSession } from 'svc-auth';
import { createPages } from 'svc-auth/pages';
import { outbox, testLicense } from 'svc-auth/testing';
import type { BoundApplication, BoundRequest } from '../browser/support/bound-application.js';
import { cert, key } from './own-certificate.js';

/** Resolved to this machine by a flag of the browser, because browsers treat `localhost` differently. */
const host = 'app.bound.test';

export async function startBoundApplication(ttlMs: number, { bound = true } = {}): Promise<BoundApplication> {
  const app = express();
  const server = createServer({ key, cert }, app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://${host}:${(server.address() as AddressInfo).port}`;
  const requests: BoundRequest[] = [];
  app.use((req, res, next) => {
    const request: BoundRequest = {
      method: req.method,
      path: req.path,
      status: 0,
      headers: { ...req.headers },
    };
    requests.push(request);
    res.once('finish', () => (request.status = res.statusCode));
    next();
  });
  const sender = outbox();
  const service = createService({
    adapter: memoryAdapter(),
    appName: 'Acme',
    session: {
      secret: 'a secret of the browser tests, 32 bytes long',
      cookie: { secure: true },
      bound: bound && { ttlMs },
    },
    ...testLicense(),
    providers: {
      emailCode: { sender },
      emailPassword: { sender, resetUrl: `${origin}/reset` },
      sessions: true,
    },
    rateLimit: { maxPerWindow: 100 },
  });
  await service.init();
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  app.get('/strict', requireSession(service, { bound: true }), (_req, res) => void res.json({ ok: true }));
  app.get('/who', requireSession(service), (req, res) => {
    res.json({ email: req.user?.email, bound: req.svcAuth?.bound });
  });
  app.get('/empty', (_req, res) => void res.type('html').send('<title>Empty</title><p>Nothing.</p>'));
  // Under any name, so that a test can come from another site.
  app.get('/link', (_req, res) => {
    res.type('html').send(`<title>Link</title><a href="${origin}/account/devices">Go</a>`);
  });
  app.use(createPages(service, { name: 'Acme', accent: '#1f6b4f' }));
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return {
    origin,
    flags: [
      `--host-resolver-rules=MAP *.test 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`,
      '--enable-features=DeviceBoundSessions,EnableBoundSessionCredentialsSoftwareKeysForManualTesting,UseUnexportableKeyServiceInBrowserProcess',
    ],
    requests,
    async signUp(email, password) {
      await service.emailPassword.signup({ email, password });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
