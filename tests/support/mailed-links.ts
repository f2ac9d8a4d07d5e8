/** An application that signs in by links, and a webmail page on another site. Neither needs a script. */
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import express from 'express';
import { createAuthRouter, createService, memoryAdapter } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import type { LinkSite } from '../browser/support/link-site.js';

export async function startLinkSite(): Promise<LinkSite> {
  const [app, webmail] = [express(), express()];
  const [server, mailServer] = [await listen(app), await listen(webmail)];
  // Two names of this machine are two sites to the browser.
  const origin = `http://localhost:${portOf(server)}`;
  const mailOrigin = `http://127.0.0.1:${portOf(mailServer)}`;
  const sender = outbox();
  const presses: Record<string, unknown>[] = [];
  const baseUrl = `${origin}/api/auth/magic-link/verify`;
  const service = createService({
    adapter: memoryAdapter(),
    appName: 'Acme',
    session: { secret: 'a secret of the browser tests, 32 bytes long' },
    providers: { magicLink: { sender, baseUrl, withCode: true, confirmElsewhere: true } },
    rateLimit: { maxPerWindow: 100 },
  });
  await service.init();
  app.use((req, _res, next) => {
    if (req.method === 'POST' && req.path.endsWith('/magic-link/verify')) presses.push({ ...req.headers });
    next();
  });
  app.use(
    '/api/auth',
    createAuthRouter(service, { successRedirect: '/welcome', failureRedirect: '/failed' }),
  );
  app.get('/', (_req, res) => void res.send('<!doctype html><title>Acme</title><h1>Acme</h1>'));
  app.get('/welcome', (_req, res) => void res.send('<!doctype html><title>Welcome</title><h1>Welcome</h1>'));
  app.get('/failed', (_req, res) => void res.send('<!doctype html><title>Failed</title><h1>Failed</h1>'));
  const linkTo = (email: string) => sender.lastLink(email) ?? '';
  webmail.get('/mail/:email', (req, res) => {
    const link = linkTo(String(req.params['email']));
    res.send(`<!doctype html><title>Mail</title><link rel="prefetch" href="${link}">
      <a href="${link}">Sign in</a> <img src="${link}" alt=""> <iframe src="${link}"></iframe>`);
  });
  return {
    app: origin,
    mailTo: (email) => `${mailOrigin}/mail/${email}`,
    linkTo,
    codeTo: (email) => sender.lastCode(email) ?? '',
    presses,
    async close() {
      for (const each of [server, mailServer]) {
        each.closeAllConnections();
        await new Promise((resolve) => each.close(resolve));
      }
      await service.close();
    },
  };
}

function listen(app: express.Express): Promise<Server> {
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve(server));
  });
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
