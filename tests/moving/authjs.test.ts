import { createDatabase } from '../support/postgres.js';
import { startOidcServer } from '../support/oidc-server.js';
import { freePort } from '../support/free-port.js';
import { describeWithOldPackages, startApplication, Visitor } from './support/application.js';
async function probe() {
  const database = await createDatabase();
  const port = await freePort();
  const google = await startOidcServer(`http://127.0.0.1:${port}/auth/callback/google`);
  google.accounts.set('grace-1', { email: 'grace@acme.test', email_verified: true, name: 'Grace Hopper' });
  const app = await startApplication('authjs/old.mjs', { DATABASE_URL: database.url, AUTH_SECRET: 'z'.repeat(40), GOOGLE: JSON.stringify(google.client) }, port);
  const v = new Visitor(app.origin);
  const csrf = await v.get('/auth/csrf');
  console.log(csrf, v.cookieNames());
  const { csrfToken } = csrf.body as { csrfToken: string };
  const r = await v.post('/auth/signin/google', { csrfToken, callbackUrl: '/', json: true });
  console.log(r);
  const cb = await google.signIn(r.location ?? (r.body as { url: string }).url, 'grace-1');
  console.log(await v.get(cb.href), await v.get('/me'), v.cookieNames());
  const a = new Visitor(app.origin);
  const c2 = (await a.get('/auth/csrf')).body as { csrfToken: string };
  console.log(await a.post('/auth/signin/email', { csrfToken: c2.csrfToken, email: 'ada@acme.test', callbackUrl: '/', json: true }), app.mails);
  console.log(await a.get(app.mails[0]?.url ?? '/x'), await a.get('/me'), a.cookieNames());
  await app.stop(); await google.stop(); await database.drop();
}
describeWithOldPackages('x', () => { test('y', probe, 60000); });
