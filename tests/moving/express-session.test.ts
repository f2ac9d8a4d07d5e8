/** Recipes with sessions by hand moves: `req.session.userId` of express-session, bcrypt, the ids of members in other tables. */
import { querySql } from '../support/postgres.js';
import { describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands, runSql } from './support/commands.js';
import { moveScene } from './support/scene.js';

const password = 'an old password of ada';

/** The end-to-end test of the application, the same before and after. */
async function useRecipes({ origin }: Application, name: string): Promise<void> {
  const visitor = new Visitor(origin);
  const email = `${name}@acme.test`;
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  expect(await visitor.post('/signup', { email, password })).toMatchObject({ status: 201 });
  expect(await visitor.get('/me')).toMatchObject({ status: 200, body: { email } });
  expect(await visitor.post('/recipes', { title: `of ${name}` })).toMatchObject({ status: 201 });
  expect(await visitor.post('/logout')).toMatchObject({ status: 204 });
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  expect(await new Visitor(origin).post('/signup', { email, password })).toMatchObject({ status: 409 });
  await expectSignIn(origin, name);
}

async function expectSignIn(origin: string, name: string): Promise<Visitor> {
  const visitor = new Visitor(origin);
  const email = `${name}@acme.test`;
  expect(await visitor.post('/login', { email, password: `${password}?` })).toMatchObject({ status: 401 });
  expect(await visitor.post('/login', { email, password })).toMatchObject({ status: 200 });
  expect(await visitor.get('/recipes')).toMatchObject({ status: 200, body: [`of ${name}`] });
  return visitor;
}

describeWithOldPackages('an application with sessions by hand', () => {
  const scene = moveScene();

  test('keeps users, passwords, sessions and verified addresses, and can go back', async () => {
    const settings = {
      DATABASE_URL: scene.databaseUrl,
      SESSION_SECRET: 'the secret of express-session, as it was',
      AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    };
    let application = await scene.start('express-session/old.mjs', settings);
    await useRecipes(application, 'ada');
    const ada = await expectSignIn(application.origin, 'ada');
    const absent = await expectSignIn(application.origin, 'ada');
    const signedOut = await expectSignIn(application.origin, 'ada');
    const stolen = signedOut.copy();
    await signedOut.post('/logout');
    await scene.stop();

    await runCommands('express-session/move.sh', settings);

    application = await scene.start('express-session/moved.ts', settings);
    const { origin } = application;
    expect(await ada.get('/recipes')).toMatchObject({ status: 200, body: ['of ada'] });
    expect(ada.cookieNames()).toContain('svc_session');
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    await useRecipes(application, 'barbara');
    const users = await querySql(
      scene.databaseUrl,
      'select external_id, email_verified from svc_users order by email',
    );
    expect(users).toMatchObject([
      { external_id: '1', email_verified: true },
      { external_id: expect.stringMatching(/^\d+$/), email_verified: true },
    ]);
    await scene.stop();

    // Back to the old application.
    await runSql(scene.databaseUrl, 'express-session/rollback.sql');
    application = await scene.start('express-session/old.mjs', settings);
    expect(await absent.get('/recipes')).toMatchObject({ status: 200, body: ['of ada'] });
    for (const name of ['ada', 'barbara']) await expectSignIn(application.origin, name);
  });
});
