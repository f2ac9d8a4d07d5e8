/** Boards whose users have UUIDs moves: the ids stay, so that sessions, Google accounts and foreign keys go where they always did. */
import { querySql } from '../support/postgres.js';
import type { OidcServer } from '../support/oidc-server.js';
import { apps, describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands } from './support/commands.js';
import { googleOf, moveScene } from './support/scene.js';

const password = 'an old password of ada';

/** The end-to-end test of the application, the same before and after. */
async function useBoards({ origin }: Application, name: string): Promise<string> {
  const visitor = new Visitor(origin);
  const email = `${name}@acme.test`;
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  const signedUp = await visitor.post('/signup', { email, password });
  expect(signedUp).toMatchObject({ status: 201, body: { email } });
  const { id } = signedUp.body as { id: string };
  expect(await visitor.get('/me')).toMatchObject({ status: 200, body: { id, email } });
  expect(await visitor.post('/boards', { title: `of ${name}` })).toMatchObject({ status: 201 });
  expect(await visitor.post('/logout')).toMatchObject({ status: 204 });
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  expect(await new Visitor(origin).post('/signup', { email, password })).toMatchObject({ status: 409 });
  await expectSignIn(origin, name);
  return id;
}

async function expectSignIn(origin: string, name: string): Promise<Visitor> {
  const visitor = new Visitor(origin);
  const email = `${name}@acme.test`;
  expect(await visitor.post('/login', { email, password: `${password}?` })).toMatchObject({ status: 401 });
  expect(await visitor.post('/login', { email, password })).toMatchObject({ status: 200 });
  expect(await visitor.get('/boards')).toMatchObject({ status: 200, body: [`of ${name}`] });
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

const idOf = async (visitor: Visitor) => ((await visitor.get('/me')).body as { id: string }).id;

describeWithOldPackages('an application whose users have UUIDs', () => {
  const scene = moveScene();
  const google = googleOf(scene, '/oauth2/redirect/google', ['grace', 'linus']);

  const settings = ({ client }: OidcServer) => ({
    DATABASE_URL: scene.databaseUrl,
    SESSION_SECRET: 'the secret of express-session, as it was',
    AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    GOOGLE: JSON.stringify(client),
  });

  test('keeps the ids, and with them sessions, Google accounts and foreign keys', async () => {
    let application = await scene.start('uuid/old.mjs', settings(google.before));
    const adaId = await useBoards(application, 'ada');
    const { origin } = application;
    const ada = await expectSignIn(origin, 'ada');
    const signedOut = await expectSignIn(origin, 'ada');
    const stolen = signedOut.copy();
    await signedOut.post('/logout');
    const grace = await signInWithGoogle(origin, google.before, 'grace-1');
    const graceId = await idOf(grace);
    await grace.post('/boards', { title: 'of grace' });
    await scene.stop();

    const env = { ORIGIN: origin, ...settings(google.after) };
    const output = await runCommands('express-session/move.sh', env, { folder: apps('uuid') });
    expect(output).toContain('--map table=users,id=id,email=email,emailVerified=email_verified');

    application = await scene.start('uuid/moved.ts', settings(google.after));
    for (const [visitor, id, boards] of [
      [ada, adaId, ['of ada']],
      [grace, graceId, ['of grace']],
    ] as const) {
      expect(await visitor.get('/boards')).toMatchObject({ status: 200, body: boards });
      expect(await idOf(visitor)).toBe(id);
      expect(visitor.cookieNames()).toContain('svc_session');
    }
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    expect(await idOf(await signInWithGoogle(origin, google.after, 'grace-1'))).toBe(graceId);
    await useBoards(application, 'barbara');
    const linus = await signInWithGoogle(origin, google.after, 'linus-1');
    expect(await linus.post('/boards', { title: 'of linus' })).toMatchObject({ status: 201 });

    const rows = await querySql(
      scene.databaseUrl,
      'select b.title, s.external_id from boards b join svc_users s on s.id = b.owner_id order by b.title',
    );
    expect(rows).toEqual(
      ['ada', 'barbara', 'grace', 'linus'].map((name) => ({ title: `of ${name}`, external_id: null })),
    );
  });
});
