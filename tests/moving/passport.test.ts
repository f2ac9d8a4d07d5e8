/** Notes with Passport moves: users with passwords and with Google, sessions of express-session, notes with the ids of users. */
import { createDatabase, querySql, type TestDatabase } from '../support/postgres.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { freePort } from '../support/free-port.js';
import {
  describeWithOldPackages,
  startApplication,
  Visitor,
  type Application,
} from './support/application.js';
import { runCommands, runSql } from './support/commands.js';

const password = 'an old password of ada';

/** The end-to-end test of the application, the same before and after. */
async function useNotes({ origin }: Application, name: string): Promise<void> {
  const visitor = new Visitor(origin);
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  expect(await visitor.post('/signup', { username: name, password })).toMatchObject({ status: 201 });
  expect(await visitor.get('/me')).toMatchObject({ status: 200, body: { username: name } });
  expect(await visitor.post('/notes', { text: `by ${name}` })).toMatchObject({ status: 201 });
  expect(await visitor.get('/notes')).toMatchObject({ status: 200, body: [`by ${name}`] });
  expect(await visitor.post('/logout')).toMatchObject({ status: 204 });
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  const taken = await new Visitor(origin).post('/signup', { username: name, password });
  expect(taken).toMatchObject({ status: 409 });
  await expectSignIn(origin, name);
}

async function expectSignIn(origin: string, username: string): Promise<Visitor> {
  const visitor = new Visitor(origin);
  const wrong = await visitor.post('/login', { username, password: `${password}?` });
  expect(wrong).toMatchObject({ status: 401 });
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  expect(await visitor.post('/login', { username, password })).toMatchObject({ status: 200 });
  expect(await visitor.get('/notes')).toMatchObject({ status: 200, body: [`by ${username}`] });
  return visitor;
}

async function signInWithGoogle(origin: string, google: OidcServer, subject: string): Promise<Visitor> {
  const visitor = new Visitor(origin);
  let { location } = await visitor.get('/login/google');
  if (location?.startsWith('/')) ({ location } = await visitor.get(location));
  const callback = await google.signIn(location ?? '', subject);
  expect(await visitor.get(callback.href)).toMatchObject({ status: 302 });
  return visitor;
}

describeWithOldPackages.each(['pbkdf2', 'bcrypt'])('an application with Passport and %s', (hash) => {
  let database: TestDatabase;
  let port: number;
  let before: OidcServer;
  let after: OidcServer;
  let application: Application | undefined;

  beforeAll(async () => {
    database = await createDatabase();
    port = await freePort();
    before = await startOidcServer(`http://127.0.0.1:${port}/oauth2/redirect/google`);
    after = await startOidcServer(`http://127.0.0.1:${port}/api/auth/google/callback`);
    for (const { accounts } of [before, after])
      for (const name of ['grace', 'linus'])
        accounts.set(`${name}-1`, { email: `${name}@acme.test`, email_verified: true, name });
  });
  afterAll(async () => {
    await application?.stop();
    await Promise.all([before.stop(), after.stop()]);
    await database.drop();
  });

  const settings = (google: OidcServer) => ({
    DATABASE_URL: database.url,
    SESSION_SECRET: 'the secret of express-session, as it was',
    AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    HASH: hash,
    GOOGLE: JSON.stringify(google.client),
  });

  test('keeps users, passwords, Google accounts and sessions, and can go back', async () => {
    application = await startApplication('passport/old.mjs', settings(before), port);
    await useNotes(application, 'ada');
    const { origin } = application;
    const ada = await expectSignIn(origin, 'ada');
    const signedOut = await expectSignIn(origin, 'ada');
    const stolen = signedOut.copy();
    await signedOut.post('/logout');
    const absent = await expectSignIn(origin, 'ada');
    const grace = await signInWithGoogle(origin, before, 'grace-1');
    await grace.post('/notes', { text: 'by grace' });
    await application.stop();

    await runCommands(`passport/move-${hash}.sh`, { ORIGIN: origin, ...settings(after) });

    application = await startApplication('passport/moved.ts', settings(after), port);
    for (const [visitor, notes] of [
      [ada, ['by ada']],
      [grace, ['by grace']],
    ] as const) {
      expect(await visitor.get('/notes')).toMatchObject({ status: 200, body: notes });
      expect(visitor.cookieNames()).toContain('svc_session');
    }
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    const graceAgain = await signInWithGoogle(origin, after, 'grace-1');
    expect(await graceAgain.get('/notes')).toMatchObject({ status: 200, body: ['by grace'] });
    await useNotes(application, 'barbara');
    const linus = await signInWithGoogle(origin, after, 'linus-1');
    await linus.post('/notes', { text: 'by linus' });
    const hashes = await querySql(
      database.url,
      'select username, password_hash from svc_users where username is not null order by username',
    );
    expect(hashes).toMatchObject([{ username: 'ada' }, { username: 'barbara' }]);
    expect(hashes[0]?.['password_hash']).toMatch(/^\$2b\$10\$/);
    await application.stop();

    // Back to the old application.
    if (hash === 'bcrypt') await runSql(database.url, 'passport/rollback-bcrypt.sql');
    await runSql(database.url, 'passport/rollback-google.sql');
    application = await startApplication('passport/old.mjs', settings(before), port);
    expect(await absent.get('/notes')).toMatchObject({ status: 200, body: ['by ada'] });
    expect(await ada.get('/notes')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    if (hash === 'bcrypt') await expectSignIn(origin, 'barbara');
    for (const name of ['grace', 'linus']) {
      const visitor = await signInWithGoogle(origin, before, `${name}-1`);
      expect(await visitor.get('/notes')).toMatchObject({ status: 200, body: [`by ${name}`] });
    }
  });
});
