// The programs that users of the package write.

/** A whole sign-in, in JavaScript that both module systems can run after their imports. */
export const signIn = `
const secret = 'a secret of the packaging test, 32 bytes or more';
async function main() {
  const sender = outbox();
  const service = createService({
    adapter: memoryAdapter(), session: { secret }, appName: 'Packed', providers: { emailCode: { sender } },
  });
  await service.init();
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  app.get('/me', requireSession(service), (req, res) => { res.json(req.user); });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base = 'http://127.0.0.1:' + server.address().port;
  const post = (route, body) => fetch(base + '/api/auth' + route, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  const email = 'ada@example.com';
  const sent = await post('/email-code/send', { email });
  const verified = await post('/email-code/verify', { email, code: sender.lastCode(email) });
  const { user } = await verified.json();
  const cookie = verified.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ');
  const me = await (await fetch(base + '/me', { headers: { cookie } })).json();
  const claims = verifyToken(service.createSessionToken(user.id).token, secret);
  console.log(JSON.stringify({
    sent: sent.status, verified: verified.status, email: user.email, me: me.id === user.id, sub: claims.sub === user.id,
    anonymous: (await fetch(base + '/me')).status,
  }));
  server.close();
  server.closeAllConnections();
  await service.close();
}
main().catch((error) => { console.error(error); process.exit(1); });
`;
/** What it prints. */
export const signedIn = {
  sent: 200,
  verified: 200,
  email: 'ada@example.com',
  me: true,
  sub: true,
  anonymous: 401,
};

/** An application that exports values whose types the compiler must be able to name in a .d.ts file. */
export const typed = `
import express from 'express';
import {
  apple, createAuthRouter, createService, github, isServiceError, memoryAdapter, openapiDocument, requireSession,
} from 'svc-auth';
import type { EmailMessage, EmailSender, ServiceUser } from 'svc-auth';
import { createAdminPages, type Authorize } from 'svc-auth/admin';
import { AuthClientError, createClient, type AuthClient } from 'svc-auth/client';
import { expressServer } from 'svc-auth/server';
import { mockIdentityProvider, outbox } from 'svc-auth/testing';
import { verifyToken } from 'svc-auth/token';

export const mails = outbox();
export const sender: EmailSender = { send: async (message: EmailMessage) => mails.send(message) };
export const adapter = memoryAdapter();
export const service = createService({
  adapter,
  session: { secret: 'a secret of the packaging test, 32 bytes or more' },
  appName: 'Typed',
  providers: { emailCode: { sender } },
});
const registration = { clientId: 'id', redirectUri: 'https://app.test/callback' };
export const elsewhere = () => createService({
  adapter,
  session: { secret: process.env['SECRET'] },
  providers: {
    oauth: {
      github: { ...github(), ...registration, clientSecret: process.env['SECRET'] },
      apple: { ...apple({ teamId: 't', keyId: 'k', privateKey: 'p' }), ...registration },
      mapped: {
        ...registration,
        clientSecret: async () => 's',
        issuer: 'https://idp.test',
        mapProfile: (raw) => ({ id: String(raw['n']), emailVerified: raw['v'] === true }),
      },
    },
  },
});
export const identities = mockIdentityProvider;
export const router = createAuthRouter(service, { successRedirect: '/', failureRedirect: '/sign-in' });
export const authorize: Authorize = (user, action, target) => user.roles.includes(action) && target !== user.id;
export const adminPages = createAdminPages(service, { authorize, signInUrl: (returnTo) => '/in?next=' + returnTo });
export const guard = requireSession(service);
export const app = express();
app.use('/api/auth', router);
app.get('/me', guard, (req, res) => {
  const user: ServiceUser | undefined = req.user;
  res.json({ id: user?.id });
});
export const server = expressServer(app, { keepAliveTimeout: 65_000 });
export const secure = expressServer(app, { https: { key: 'k', cert: 'c' } });
export const client: AuthClient = createClient({ baseUrl: '/api/auth', fetch: (url, init) => fetch(url, init) });
export const other = createClient({ baseUrl: '/api/auth', headers: async () => ({ authorization: 'Bearer x' }) });
export const devices = () => other.devices.list();
export const signedInAt = async (): Promise<Date | undefined> => (await client.session()).user?.createdAt;
export const waitOf = (error: unknown) => (error instanceof AuthClientError ? error.retryAfterMs : undefined);
export const document = openapiDocument({ basePath: '/auth' });
export const subject = (token: string) => verifyToken(token, 'secret', { clockToleranceSec: 5 }).sub;
export const claims = (token: string) => verifyToken(token, 'secret');
export const userOf = (token: string) => service.getSessionUser(token);
export const send = (email: string) => service.emailCode.sendCode({ email });
export const codeOf = (error: unknown) => (isServiceError(error) ? error.code : undefined);

// @ts-expect-error an adapter is required: the options are not \`any\`
export const wrong = () => createService({ session: { secret: '' } });
`;

const imports = {
  express: 'express',
  '{ createAuthRouter, createService, knexAdapter, requireSession, smtpSender, sqliteAdapter }': 'svc-auth',
  '{ createPages }': 'svc-auth/pages',
  '{ SMTPServer }': 'smtp-server',
};

/** The statements that import what `application` uses. */
export const importsOf = (format: 'esm' | 'cjs') =>
  Object.entries(imports)
    .map(([names, from]) =>
      format === 'esm' ? `import ${names} from '${from}';` : `const ${names} = require('${from}');`,
    )
    .join('\n');

/**
 * An application with databases, mail over SMTP and pages. `run` shows a page in French and signs a user in, with each database: SQLite
 * in the file SQLITE_FILE, and the PostgreSQL of DATABASE_URL.
 */
export const application = `
async function run() {
  const sqlite = await signIn(sqliteAdapter(process.env.SQLITE_FILE));
  const postgres = await signIn(knexAdapter({ client: 'pg', connection: process.env.DATABASE_URL }));
  return { sqlite, postgres };
}
async function signIn(adapter) {
  const mails = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, session, done) {
      let mail = '';
      stream.on('data', (chunk) => { mail += chunk; });
      stream.on('end', () => { mails.push(mail); done(); });
    },
  });
  await new Promise((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const sender = smtpSender(
    { host: '127.0.0.1', port: smtp.server.address().port, ignoreTLS: true }, { from: 'no-reply@acme.test' },
  );
  const service = createService({
    adapter,
    session: { secret: 'a secret of the packaging test, 32 bytes or more' },
    appName: 'Acme',
    providers: { emailCode: { sender } },
  });
  await service.init();
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  app.use(createPages(service, { name: 'Acme' }));
  app.get('/me', requireSession(service), (req, res) => { res.json(req.user); });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base = 'http://127.0.0.1:' + server.address().port;
  const post = (route, body) => fetch(base + '/api/auth' + route, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  const page = await fetch(base + '/sign-in', { headers: { 'accept-language': 'fr' } });
  const language = /<html lang="(.*?)"/.exec(await page.text())?.[1];
  const email = 'ada@example.com';
  await post('/email-code/send', { email });
  for (let waited = 0; mails.length === 0 && waited < 120_000; waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const code = /\\b\\d{6}\\b/.exec(mails[0]?.split('\\r\\n\\r\\n').slice(1).join(''))?.[0];
  const verified = await post('/email-code/verify', { email, code });
  const cookie = verified.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ');
  const me = await (await fetch(base + '/me', { headers: { cookie } })).json();
  server.close();
  server.closeAllConnections();
  await service.close();
  await sender.close();
  await new Promise((resolve) => smtp.close(resolve));
  return { language, mails: mails.length, signedIn: me.email };
}
`;
const used = { language: 'fr', mails: 1, signedIn: 'ada@example.com' };
/** What `run` returns. */
export const applicationRan = { sqlite: used, postgres: used };
