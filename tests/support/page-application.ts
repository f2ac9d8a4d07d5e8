/** A small application with the pages of the package, for tests in a browser. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import {
  createAuthRouter,
  createProRouter,
  createService,
  memoryAdapter,
  optionalSession,
  requireApiKey,
  type EmailSender,
  type Service,
  type SmsSender,
} from 'svc-auth';
import { createOAuthServer, type OAuthServer } from 'svc-auth/oauth-server';
import { createPages, html } from 'svc-auth/pages';
import * as z from 'zod';
import { testLicense } from 'svc-auth/testing';
import { startIdentityProvider } from '../../example-app/identity-provider.js';
import type { PageApplication, PageApplicationOptions } from '../browser/support/page-application.js';
import { internals } from '../../src/core/internals.js';
import { brands } from './brands.js';
import type { Message } from '../browser/support/site.js';

const ownFields = z.object({
  company: z.string().min(2).max(100).meta({ title: 'Company', description: 'As it is on your invoices.' }),
  role: z.enum(['design', 'engineering', 'sales']),
  seats: z.number().int().min(1).max(500).optional(),
  about: z.string().max(500).optional(),
  terms: z.literal(true),
});

/** A program on the computer of the user. */
const clientUrl = 'http://127.0.0.1/callback';

function openOAuthServer(app: Express, service: Service, issuer: string): OAuthServer {
  const scopes = { 'notes:read': 'Read your notes', 'notes:write': 'Write, change and delete your notes' };
  const oauth = createOAuthServer(service, { issuer, resources: { [`${issuer}/mcp`]: { scopes } } });
  app.use(oauth.router);
  return oauth;
}

function authorizationUrl(issuer: string, clientId: string): string {
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: clientUrl, resource: `${issuer}/mcp` },
    ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
  });
  return `${issuer}/oauth/authorize?${query.toString()}`;
}

export async function startPageApplication({
  isStrict = false,
  challenge = false,
  hasFields = false,
  host = 'localhost',
  brand,
  providers = [],
}: PageApplicationOptions = {}): Promise<PageApplication> {
  let running: { app: Express; service: Service };
  const server = createServer((req, res) => running.app(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const messages: Message[] = [];
  const keep = (to: string, text: string) => {
    const code = /^\d{4,12}(?=$| is your code)/m.exec(text)?.[0];
    const link = /https?:\/\/\S+/.exec(text)?.[0];
    messages.unshift({ id: messages.length + 1, to, code, link });
  };
  const sender: EmailSender = { send: async ({ to, text }) => keep(to, text) };
  const sms: SmsSender = { send: async ({ to, body }) => keep(to, body) };
  const identityProvider = await startIdentityProvider({
    google: `${origin}/api/auth/google/callback`,
    orbit: `${origin}/api/auth/oauth/orbit/callback`,
  });
  const unreachable = (name: string) =>
    [
      name,
      {
        clientId: name,
        clientSecret: 'a secret of the client',
        redirectUri: `${origin}/api/auth/oauth/${name}/callback`,
        authorizationEndpoint: 'https://provider.test/authorize',
        tokenEndpoint: 'https://provider.test/token',
        userInfoEndpoint: 'https://provider.test/me',
      },
    ] as const;
  // A clock that runs, and that a test can move forward.
  let offset = 0;
  const now = () => Date.now() + offset;
  const adapter = memoryAdapter();
  let oauth: OAuthServer | undefined;
  running = await start();

  async function start(cookieDomain?: string): Promise<typeof running> {
    const service = createService({
      adapter,
      appName: 'Acme',
      // The warnings about what the tests do on purpose would hide errors.
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: console.error },
      clock: now,
      session: {
        secret: 'a secret of the browser tests, 32 bytes long',
        cookie: { domain: cookieDomain },
      },
      encryptionKey: Buffer.alloc(32, 'encryption key').toString('base64'),
      ...testLicense({ expiresAt: new Date('2199-12-31') }),
      ...(isStrict && { usernames: { enabled: true } }),
      providers: {
        emailCode: { sender },
        magicLink: {
          ...{ sender, baseUrl: `${origin}/api/auth/magic-link/verify` },
          ...{ withCode: isStrict, confirmElsewhere: hasFields },
        },
        emailPassword: { sender, resetUrl: `${origin}/reset`, ...(isStrict && { verifyEmail: 'send' }) },
        google: identityProvider.clients.google,
        oauth: { ...Object.fromEntries(providers.map(unreachable)), orbit: identityProvider.clients.orbit },
        phoneOtp: { sender: sms, allowCountry: () => true },
        totp: { trustedBrowsers: true, ...(isStrict && { sender, email: true }) },
        webauthn: {
          rpId: 'localhost',
          origins: [origin],
          secondFactor: true,
          signUp: hasFields ? { address: 'later', sender } : true,
        },
        sessions: hasFields ? { canImpersonate: () => true } : true,
        refresh: true,
        apiKeys: { scopes: ['notes:read', 'organization:read'] },
        orgs: { sender, inviteUrl: `${origin}/join` },
        account: { sender },
      },
      audit: hasFields,
      rateLimit: { maxPerWindow: 1000 },
      ...((challenge || hasFields) && {
        signUp: {
          ...(challenge && { challenge: { after: 0, cost: 200 } }),
          ...(hasFields && { fields: ownFields }),
        },
      }),
    });
    await service.init();
    const app = express();
    if (isStrict) oauth = openOAuthServer(app, service, origin);
    app.use('/api/auth', createAuthRouter(service), createProRouter(service));
    app.use(
      createPages(service, {
        name: 'Acme',
        accent: '#1f6b4f',
        ...(hasFields && {
          signUpFields: {
            terms: { label: html`I accept the <a href="/terms">terms</a>` },
            role: { label: 'What do you do?' },
          },
        }),
        ...(brand && brands[brand].options),
      }),
    );
    for (const [path, content] of Object.entries(brand ? brands[brand].files : {}))
      app.get(path, (_req, res) => void res.type(path.split('.').pop()!).send(content));
    app.get(['/', '/notes'], optionalSession(service), (req, res) => {
      const page = html`<!doctype html>
        <html lang="en">
          <title>Notes</title>
          <h1>${req.user ? 'Your notes' : 'Welcome'}</h1>
          <p>${req.user && html`Signed in as <bdi id="who">${req.user.email ?? req.user.id}</bdi>.`}</p>
        </html>`;
      res.send(page.text);
    });
    app.get('/api/v1/notes', requireApiKey(service, { scopes: ['notes:read'] }), (req, res) => {
      res.json({ owner: req.apiKey?.userId ?? req.apiKey?.orgId });
    });
    return { app, service };
  }

  return {
    origin,
    now,
    async restart({ cookieDomain }) {
      await running.service.close();
      running = await start(cookieDomain);
    },
    advance: (ms) => void (offset += ms),
    async impersonate(email) {
      const { sessionsProvider, users } = running.service;
      const [admin, user] = await Promise.all([
        users.create({ email: 'support@acme.test' }, { actor: { type: 'system' } }),
        users.find({ email }),
      ]);
      return (await sessionsProvider.impersonate(admin.id, user!.id)).token;
    },
    async consentUrl() {
      const { client } = await oauth!.clients.create({
        name: 'Notes for the desk',
        redirectUris: [clientUrl],
      });
      return authorizationUrl(origin, client.id);
    },
    async deviceCode() {
      const { client } = await oauth!.clients.create({ name: 'Acme TV', grants: ['device_code'] });
      const response = await fetch(`${origin}/oauth/device`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: client.id, scope: 'notes:read' }),
      });
      return ((await response.json()) as { user_code: string }).user_code;
    },
    async connectApp(email) {
      const { client } = await oauth!.clients.create({ name: 'Notes for phones', redirectUris: [clientUrl] });
      const { clock, storage } = running.service[internals];
      const [user, now] = [await storage.users.findByEmail(email), new Date(clock())];
      const scopes = { [`${origin}/mcp`]: ['notes:read', 'notes:write'] };
      await storage.oauthServer!.insertGrant(
        {
          ...{ id: randomUUID(), userId: user!.id, clientId: client.id, epoch: user!.epoch, scopes },
          ...{ renewal: null, counter: 0, rotatedAt: now, createdAt: now, lastUsedAt: now },
          expiresAt: new Date(now.getTime() + 24 * 60 * 60_000),
        },
        now,
      );
    },
    messages: async () => messages,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await running.service.close();
      await identityProvider.close();
    },
  };
}
