/**
 * The example: an Express application with every way to sign in. `npm start`, then open http://localhost:3000.
 * Start reading here, go on with auth.ts. What stands in for things that production has anyway: inbox.ts for a mail
 * server, identity-provider.ts for Google, local.ts for a place for secrets, notes.ts and organisations.ts
 * for your product.
 */
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createAuthRouter, createProRouter, optionalSession, requireSession } from 'svc-auth';
import { createAuth } from './auth.js';
import { browserRules } from './browser-rules.js';
import { bundledScripts } from './bundle.js';
import { createInbox } from './inbox.js';
import { takePort } from './local.js';
import { createNotes } from './notes.js';
import { organisationRoutes } from './organisations.js';
import { createPages } from './pages.js';
import { notFoundPage } from './pages/not-found.js';
import { giveUp, readSettings } from './settings.js';

const settings = readSettings(process.env);
const { port, folder } = settings;
const origin = `http://localhost:${port}`;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const server = await takePort(port);
console.log('Starting. The first time takes a few seconds.');
const inbox = createInbox();
const { service, identityProvider } = await createAuth(origin, settings, inbox);
const scripts = await bundledScripts();
const notes = await createNotes(service, `${folder}/notes.json`);
await service.init().catch((error: Error) => {
  if (!settings.databaseUrl) throw error;
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  giveUp(`The database at DATABASE_URL cannot be used: ${message || code}. Unset it for the embedded one.`);
});
notes.contribute();

const app = express();
app.disable('x-powered-by');
app.use(browserRules(origin));

const routes = {
  // Where a sign-in by link or identity provider ends.
  successRedirect: '/',
  failureRedirect: (error: { code: string }) => `/sign-in?error=${error.code}`,
  // How old a sign-in may be that changes a password or deletes an account. Try the dialog with FRESH_SECONDS=30.
  freshMs: settings.freshMs,
};
app.use('/api/auth', createAuthRouter(service, routes), createProRouter(service, routes));

// A route for programs: without a session, 401 and JSON.
app.get('/me', requireSession(service), (req, res) => {
  res.json(req.user);
});
app.use(notes.routes);
app.use(organisationRoutes(service));
app.use(createPages(service, optionalSession(service)));
app.use(inbox.routes);
app.use(scripts);
app.use(express.static(here('public'), { setHeaders: (res) => res.setHeader('Cache-Control', 'no-cache') }));
app.use((_req, res) => {
  res.status(404).send(notFoundPage());
});

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
