/** Bookmarks with Lucia moves: its scrypt, its sessions, ids that are no UUID. */
import { describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands } from './support/commands.js';
import { moveScene } from './support/scene.js';

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
  const scene = moveScene();

  test('keeps users, passwords and sessions', async () => {
    const settings = {
      DATABASE_URL: scene.databaseUrl,
      AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    };
    let application = await scene.start('lucia/old.mjs', settings);
    await useBookmarks(application, 'ada');
    const ada = await expectSignIn(application.origin, 'ada');
    const signedOut = await expectSignIn(application.origin, 'ada');
    const stolen = signedOut.copy();
    await signedOut.post('/logout');
    await scene.stop();

    await runCommands('lucia/move.sh', settings);

    application = await scene.start('lucia/moved.ts', settings);
    const { origin } = application;
    expect(await ada.get('/bookmarks')).toMatchObject({ status: 200, body: ['https://ada.test/'] });
    expect(ada.cookieNames()).toContain('svc_session');
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    await expectSignIn(origin, 'ada');
    await useBookmarks(application, 'barbara');
  });
});
