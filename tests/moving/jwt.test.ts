/** Articles with tokens signed by hand moves: `Authorization: Token …` continues, old tokens as long as they are valid. */
import { createDatabase, querySql, type TestDatabase } from '../support/postgres.js';
import {
  describeWithOldPackages,
  startApplication,
  Visitor,
  type Application,
} from './support/application.js';
import { runCommands } from './support/commands.js';

const password = 'an old password of ada';

interface Answer {
  user: { id: number; token: string; username: string };
}

/** Returns a client that sends the token of the answer. */
function clientOf(origin: string, body: unknown): Visitor {
  return new Visitor(origin, `Token ${(body as Answer).user.token}`);
}

/** The end-to-end test of the application, the same before and after. */
async function useArticles({ origin }: Application, username: string): Promise<void> {
  const anyone = new Visitor(origin);
  expect(await anyone.get('/api/user')).toMatchObject({ status: 401 });
  const user = { email: `${username}@acme.test`, username, password };
  const { status, body } = await anyone.post('/api/users', { user });
  expect(status).toBe(201);
  const client = clientOf(origin, body);
  expect(await client.get('/api/user')).toMatchObject({ status: 200, body: { user: { username } } });
  const title = `by ${username}`;
  const created = await client.post('/api/articles', { article: { title } });
  expect(created).toMatchObject({ status: 201, body: { article: { author: { username } } } });
  expect(await anyone.post('/api/users', { user })).toMatchObject({ status: 422 });
  await expectSignIn(origin, username);
}

async function expectSignIn(origin: string, username: string): Promise<Visitor> {
  const anyone = new Visitor(origin);
  const email = `${username}@acme.test`;
  const wrong = await anyone.post('/api/users/login', { user: { email, password: `${password}?` } });
  expect(wrong).toMatchObject({ status: 403 });
  const { status, body } = await anyone.post('/api/users/login', { user: { email, password } });
  expect(status).toBe(200);
  const client = clientOf(origin, body);
  const feed = await client.get('/api/articles/feed');
  expect(feed).toMatchObject({ status: 200, body: { articles: [{ title: `by ${username}` }] } });
  return client;
}

describeWithOldPackages('an application with tokens signed by hand', () => {
  let database: TestDatabase;
  let application: Application | undefined;

  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    await application?.stop();
    await database.drop();
  });

  test('keeps users, passwords and tokens', async () => {
    const settings = {
      DATABASE_URL: database.url,
      JWT_SECRET: 'the secret of the old tokens, as it was',
      AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    };
    application = await startApplication('jwt/old.mjs', settings);
    await useArticles(application, 'ada');
    const ada = await expectSignIn(application.origin, 'ada');
    const forged = new Visitor(application.origin, `${ada.authorization}x`);
    await application.stop();

    await runCommands('jwt/move.sh', settings);

    application = await startApplication('jwt/moved.ts', settings);
    const { origin } = application;
    ada.moveTo(origin);
    expect(await ada.get('/api/articles/feed')).toMatchObject({
      status: 200,
      body: { articles: [{ title: 'by ada' }] },
    });
    forged.moveTo(origin);
    expect(await forged.get('/api/user')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    await useArticles(application, 'barbara');
    const ids = await querySql(database.url, 'select external_id from svc_users order by external_id');
    expect(ids).toMatchObject([{ external_id: '1' }, { external_id: expect.stringMatching(/^\d+$/) }]);
  });
});
