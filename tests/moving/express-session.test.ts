/** Recipes with sessions by hand moves: `req.session.userId` of express-session, bcrypt, the ids of members in other tables. */
import { createDatabase, querySql, type TestDatabase } from '../support/postgres.js';
import {
  describeWithOldPackages,
  startApplication,
  Visitor,
  type Application,
} from './support/application.js';
import { runCommands, runSql } from './support/commands.js';

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
  let database: TestDatabase;
  let application: Application | undefined;

  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    await application?.stop();
    await database.drop();
  });

  test('keeps users, passwords, sessions and verified addresses, and can go back', async () => {
    const settings = {
      DATABASE_URL: database.url,
      SESSION_SECRET: 'the secret of express-session, as it was',
      AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    };
    application = await startApplication('express-session/old.mjs', settings);
    await useRecipes(application, 'ada');
    const ada = await expectSignIn(application.origin, 'ada');
    const absent = await expectSignIn(application.origin, 'ada');
    const signedOut = await expectSignIn(application.origin, 'ada');
    const stolen = signedOut.copy();
    await signedOut.post('/logout');
    await application.stop();

    await runCommands('express-session/move.sh', settings);

    application = await startApplication('express-session/moved.ts', settings);
    const { origin } = application;
    for (const visitor of [ada, stolen]) visitor.moveTo(origin);
    expect(await ada.get('/recipes')).toMatchObject({ status: 200, body: ['of ada'] });
    expect(ada.cookieNames()).toContain('svc_session');
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    await useRecipes(application, 'barbara');
    const users = await querySql(
      database.url,
      'select external_id, email_verified from svc_users order by email',
    );
    expect(users).toMatchObject([
      { external_id: '1', email_verified: true },
      { external_id: expect.stringMatching(/^\d+$/), email_verified: true },
    ]);
    await application.stop();

    // Back to the old application.
    await runSql(database.url, 'express-session/rollback.sql');
    application = await startApplication('express-session/old.mjs', settings);
    absent.moveTo(application.origin);
    expect(await absent.get('/recipes')).toMatchObject({ status: 200, body: ['of ada'] });
    for (const name of ['ada', 'barbara']) await expectSignIn(application.origin, name);
  });
});
