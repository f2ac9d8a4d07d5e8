/** Tasks with better-auth moves: passwords, Google, authenticator apps, organizations and sessions. */
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { freePort } from '../support/free-port.js';
import { apps, describeWithOldPackages, startApplication, Visitor, type Application } from './support/application.js';

const password = 'an old password of ada';

async function probe() {
  const database = await createDatabase();
  const port = await freePort();
  const google = await startOidcServer(`http://127.0.0.1:${port}/api/auth/callback/google`);
  google.accounts.set('grace-1', { email: 'grace@acme.test', email_verified: true, name: 'Grace Hopper' });
  const app = await startApplication('better-auth/old.mjs', { DATABASE_URL: database.url, AUTH_SECRET: 'z'.repeat(40), GOOGLE: JSON.stringify(google.client) }, port);
  const v = new Visitor(app.origin);
  console.log(await v.post('/api/auth/sign-up/email', { name: 'Ada', email: 'ada@acme.test', username: 'ada', password }));
  console.log(await v.get('/me'), v.cookieNames());
  console.log(await v.post('/api/auth/organization/create', { name: 'Acme', slug: 'acme' }));
  console.log(await v.post('/api/auth/two-factor/enable', { password }));
  const g = new Visitor(app.origin);
  const r = await g.post('/api/auth/sign-in/social', { provider: 'google', callbackURL: '/' });
  console.log(r);
  const cb = await google.signIn((r.body as { url: string }).url, 'grace-1');
  console.log(await g.get(cb.href), await g.get('/me'));
  await app.stop(); await google.stop(); await database.drop();
}
describeWithOldPackages('x', () => { test('y', probe, 60000); });
void apps; type _A = [TestDatabase, OidcServer, Application];
