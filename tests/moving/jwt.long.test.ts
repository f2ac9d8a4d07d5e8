/** Articles with tokens signed by hand moves: `Authorization: Token …` continues, old tokens as long as they are valid. */
import { querySql } from '../support/postgres.js';
import { describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands } from './support/commands.js';
import { moveScene } from './support/scene.js';

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
  const scene = moveScene();

  test('keeps users, passwords and tokens', async () => {
    const settings = {
      DATABASE_URL: scene.databaseUrl,
      JWT_SECRET: 'the secret of the old tokens, as it was',
      AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    };
    let application = await scene.start('jwt/old.mjs', settings);
    await useArticles(application, 'ada');
    const ada = await expectSignIn(application.origin, 'ada');
    const forged = new Visitor(application.origin, `${ada.authorization}x`);
    await scene.stop();

    await runCommands('jwt/move.sh', settings);

    application = await scene.start('jwt/moved.ts', settings);
    const { origin } = application;
    expect(await ada.get('/api/articles/feed')).toMatchObject({
      status: 200,
      body: { articles: [{ title: 'by ada' }] },
    });
    expect(await forged.get('/api/user')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    await useArticles(application, 'barbara');
    const ids = await querySql(scene.databaseUrl, 'select external_id from svc_users order by external_id');
    expect(ids).toMatchObject([{ external_id: '1' }, { external_id: expect.stringMatching(/^\d+$/) }]);
  });
});
