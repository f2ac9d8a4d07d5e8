/** Bookmarks with Lucia moves: its scrypt, its sessions, ids that are no UUID. */
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import {
  describeWithOldPackages,
  startApplication,
  Visitor,
  type Application,
} from './support/application.js';
import { runCommands } from './support/commands.js';

const password = 'an old password of ada';

/** The end-to-end test of the application, the same before and after. */
async function useBookmarks({ origin }: Application, username: string): Promise<void> {
  const visitor = new Visitor(origin);
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  const user = { username, email: `${username}@acme.test`, password };
  expect(await visitor.post('/signup', user)).toMatchObject({ status: 201, body: { username } });
  expect(await visitor.post('/bookmarks', { url: `https://${username}.test/` })).toMatchObject({
    status: 201,
  });
  expect(await visitor.get('/bookmarks')).toMatchObject({ status: 200, body: [`https://${username}.test/`] });
  expect(await new Visitor(origin).post('/signup', user)).toMatchObject({ status: 409 });
  expect(await visitor.post('/logout')).toMatchObject({ status: 204 });
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  await expectSignIn(origin, username);
}

async function expectSignIn(origin: string, username: string): Promise<Visitor> {
  const visitor = new Visitor(origin);
  const wrong = await visitor.post('/login', { username, password: `${password}?` });
  expect(wrong).toMatchObject({ status: 401 });
  expect(await visitor.post('/login', { username, password })).toMatchObject({
    status: 200,
    body: { username },
  });
  expect(await visitor.get('/bookmarks')).toMatchObject({ status: 200, body: [`https://${username}.test/`] });
  return visitor;
}

describeWithOldPackages('an application with Lucia', () => {
  let database: TestDatabase;
  let application: Application | undefined;

  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    await application?.stop();
    await database.drop();
  });

  test('keeps users, passwords and sessions', async () => {
    const settings = {
      DATABASE_URL: database.url,
      AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    };
    application = await startApplication('lucia/old.mjs', settings);
    await useBookmarks(application, 'ada');
    const ada = await expectSignIn(application.origin, 'ada');
    const signedOut = await expectSignIn(application.origin, 'ada');
    const stolen = signedOut.copy();
    await signedOut.post('/logout');
    await application.stop();

    await runCommands('lucia/move.sh', settings);

    application = await startApplication('lucia/moved.ts', settings);
    const { origin } = application;
    for (const visitor of [ada, stolen]) visitor.moveTo(origin);
    expect(await ada.get('/bookmarks')).toMatchObject({ status: 200, body: ['https://ada.test/'] });
    expect(ada.cookieNames()).toContain('svc_session');
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    await useBookmarks(application, 'barbara');
  });
});
