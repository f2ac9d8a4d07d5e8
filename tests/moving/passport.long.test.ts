/** Notes with Passport moves: users with passwords and with Google, sessions of express-session, notes with the ids of users. */
import { querySql } from '../support/postgres.js';
import type { OidcServer } from '../support/oidc-server.js';
import { describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands, runSql } from './support/commands.js';
import { googleOf, moveScene } from './support/scene.js';

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
  const scene = moveScene();
  const google = googleOf(scene, '/oauth2/redirect/google', ['grace', 'linus']);

  const settings = ({ client }: OidcServer) => ({
    DATABASE_URL: scene.databaseUrl,
    SESSION_SECRET: 'the secret of express-session, as it was',
    AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    HASH: hash,
    GOOGLE: JSON.stringify(client),
  });

  test('keeps users, passwords, Google accounts and sessions, and can go back', async () => {
    let application = await scene.start('passport/old.mjs', settings(google.before));
    await useNotes(application, 'ada');
    const { origin } = application;
    const ada = await expectSignIn(origin, 'ada');
    const signedOut = await expectSignIn(origin, 'ada');
    const stolen = signedOut.copy();
    await signedOut.post('/logout');
    const absent = await expectSignIn(origin, 'ada');
    const grace = await signInWithGoogle(origin, google.before, 'grace-1');
    await grace.post('/notes', { text: 'by grace' });
    await scene.stop();

    await runCommands(`passport/move-${hash}.sh`, { ORIGIN: origin, ...settings(google.after) });

    application = await scene.start('passport/moved.ts', settings(google.after));
    for (const [visitor, notes] of [
      [ada, ['by ada']],
      [grace, ['by grace']],
    ] as const) {
      expect(await visitor.get('/notes')).toMatchObject({ status: 200, body: notes });
      expect(visitor.cookieNames()).toContain('svc_session');
    }
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    const graceAgain = await signInWithGoogle(origin, google.after, 'grace-1');
    expect(await graceAgain.get('/notes')).toMatchObject({ status: 200, body: ['by grace'] });
    await useNotes(application, 'barbara');
    const linus = await signInWithGoogle(origin, google.after, 'linus-1');
    await linus.post('/notes', { text: 'by linus' });
    const hashes = await querySql(
      scene.databaseUrl,
      'select username, password_hash from svc_users where username is not null order by username',
    );
    expect(hashes).toMatchObject([{ username: 'ada' }, { username: 'barbara' }]);
    expect(hashes[0]?.['password_hash']).toMatch(/^\$2b\$10\$/);
    await scene.stop();

    // Back to the old application.
    if (hash === 'bcrypt') await runSql(scene.databaseUrl, 'passport/rollback-bcrypt.sql');
    await runSql(scene.databaseUrl, 'passport/rollback-google.sql');
    await scene.start('passport/old.mjs', settings(google.before));
    expect(await absent.get('/notes')).toMatchObject({ status: 200, body: ['by ada'] });
    expect(await ada.get('/notes')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    if (hash === 'bcrypt') await expectSignIn(origin, 'barbara');
    for (const name of ['grace', 'linus']) {
      const visitor = await signInWithGoogle(origin, google.before, `${name}-1`);
      expect(await visitor.get('/notes')).toMatchObject({ status: 200, body: [`by ${name}`] });
    }
  });
});
