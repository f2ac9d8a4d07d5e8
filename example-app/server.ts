/**
 * The example: an Express application with every free way to sign in. `npm start`, then open http://localhost:3000.
 * Start reading here. The rest of this folder is pages, and stand-ins for what production has anyway: a mail server
 * (inbox.ts), an identity provider (identity-provider.ts), a place for secrets (local.ts).
 */
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createAuthRouter, createService, optionalSession, pgliteAdapter, requireSession } from 'svc-auth';
import { browserRules } from './browser-rules.js';
import { startIdentityProvider } from './identity-provider.js';
import { createInbox } from './inbox.js';
import { keptSecret, takePort } from './local.js';
import { accountPage } from './pages/account.js';
import { resetPage } from './pages/reset.js';
import { signInPage } from './pages/sign-in.js';

const port = Number(process.env['PORT'] ?? 3000);
const origin = `http://localhost:${port}`;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const server = await takePort(port);
const { sender, routes: inboxRoutes } = createInbox();
const identityProvider = await startIdentityProvider(`${origin}/api/auth/google/callback`);

const service = createService({
  // In production: knexAdapter({ client: 'pg', connection: process.env.DATABASE_URL }).
  // The embedded database takes one process per folder, hence a folder for each port.
  adapter: pgliteAdapter(here(`data/${port}/database`)),
  session: { secret: await keptSecret(here(`data/${port}/session-secret`)) },
  appName: 'Acme',
  logger: console,
  providers: {
    emailCode: { sender },
    magicLink: { sender, baseUrl: `${origin}/api/auth/magic-link/verify` },
    emailPassword: { sender, resetUrl: `${origin}/reset` },
    google: identityProvider.client,
  },
});
console.log('Starting. The first time takes a few seconds.');
await service.init();

const app = express();
app.disable('x-powered-by');
app.use(browserRules(origin));
app.use(
  '/api/auth',
  createAuthRouter(service, {
    successRedirect: '/',
    failureRedirect: (error) => `/sign-in?error=${error.code}`,
  }),
);

// A route for programs: without a session, 401 and JSON.
app.get('/me', requireSession(service), (req, res) => {
  res.json(req.user);
});

// A page for people: without a session, to the sign-in page.
app.get('/', optionalSession(service), (req, res) => {
  if (req.user) res.send(accountPage(req.user));
  else res.redirect('/sign-in');
});

app.get('/sign-in', (req, res) => {
  res.send(signInPage(req.query));
});
app.get('/reset', (_req, res) => {
  res.send(resetPage());
});
app.use(inboxRoutes);
app.use(express.static(here('public')));

server.serve(app);
console.log(`\nReady: ${origin}\nMails: ${origin}/inbox\nStop with Ctrl+C.\n`);

// Whatever ended stays in the tables until it is swept.
const sweep = () => service.purgeExpired().catch((error: unknown) => console.error(error));
setInterval(() => void sweep(), 24 * 60 * 60_000).unref();

// First the requests, then what they need. The terminal and npm may both send the signal: once is enough.
let stopping: Promise<void> | undefined;
const stop = async () => {
  await server.close();
  await service.close();
  await identityProvider.close();
};
process.on('SIGINT', () => void (stopping ??= stop()));
process.on('SIGTERM', () => void (stopping ??= stop()));
