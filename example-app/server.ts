/**
 * The example: an Express application with every sign-in method and the pages of the package. Run `npm start`, then open http://localhost:3000.
 * Start reading here and continue with auth.ts. These files replace services that production has: inbox.ts a mail server,
 * identity-provider.ts Google, local.ts a secret store, notes.ts and organizations.ts your product.
 */
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createAuthRouter, createProRouter } from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { createPages, html } from 'svc-auth/pages';
import { createAuth } from './auth.js';
import { browserRules } from './browser-rules.js';
import { createInbox } from './inbox.js';
import { inboxLink, notFoundPage } from './layout.js';
import { takePort } from './local.js';
import { createNotes } from './notes.js';
import { organizationRoutes } from './organizations.js';
import { ownPages } from './own-pages/routes.js';
import { exitWithError, readSettings } from './settings.js';

const settings = readSettings(process.env);
const { port, folder } = settings;
const origin = `http://localhost:${port}`;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const app = express();
app.disable('x-powered-by');
const server = await takePort(port, app);
console.log('Starting. The first time takes a few seconds.');
const inbox = createInbox();
const { service, identityProvider } = await createAuth(origin, settings, inbox);
const notes = await createNotes(service, `${folder}/notes.json`);
await service.init().catch((error: Error) => {
  if (!settings.databaseUrl) throw error;
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  exitWithError(`The database at DATABASE_URL cannot be used: ${message || code}. Unset it to use SQLite.`);
});
notes.registerUserData();

app.use(browserRules(origin));

// How long ago a user may have signed in who changes a password or deletes an account. Try it with FRESH_SECONDS=30.
const { freshMs } = settings;
app.use('/api/auth', createAuthRouter(service), createProRouter(service, { freshMs }));
app.use(
  createPages(service, {
    name: 'Acme',
    accent: '#1d6a50',
    freshMs,
    slots: {
      // For development: where the codes and links are.
      footer: () => html`<p>${inboxLink} · <a href="/own-pages/sign-in">Your own sign-in page</a></p>`,
    },
  }),
);
// The first administrator gets the role on the command line: see README.md.
app.use(
  '/admin',
  createAdminPages(service, {
    authorize: ({ roles }) => roles.includes('admin'),
    freshMs,
    name: 'Acme admin',
    // Asks for a recent sign-in; visitors without a session sign in first.
    signInUrl: (returnTo) => `/account/confirm?next=${encodeURIComponent(returnTo)}`,
  }),
);
app.use(notes.routes);
app.use(organizationRoutes(service));
app.use(inbox.routes);
app.use(await ownPages());
app.use(express.static(here('public'), { setHeaders: (res) => res.setHeader('Cache-Control', 'no-cache') }));
app.use((_req, res) => {
  res.status(404).send(notFoundPage());
});

server.open();
console.log(`\nReady: ${origin}\nInbox: ${origin}/inbox\nStop with Ctrl+C.\n`);

// Expired records stay in the tables until they are purged.
const purge = () => service.purgeExpired().catch((error: unknown) => console.error(error));
setInterval(() => void purge(), 24 * 60 * 60_000).unref();

// Closes the server before the service it uses. The terminal and npm may both send the signal.
let stopping: Promise<void> | undefined;
const stop = async () => {
  await server.close();
  await service.close();
  await identityProvider.close();
};
process.on('SIGINT', () => void (stopping ??= stop()));
process.on('SIGTERM', () => void (stopping ??= stop()));
