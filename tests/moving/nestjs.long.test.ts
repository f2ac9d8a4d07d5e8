/** Cats with NestJS and Passport moves: `AuthGuard('jwt')` becomes the guard of `svc-auth/nestjs`, old tokens as long as they are valid. */
import { describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands } from './support/commands.js';
import { moveScene } from './support/scene.js';

const password = 'an old password of ada';

/** Returns a client that sends the token of the answer. */
const clientOf = (origin: string, body: unknown) =>
  new Visitor(origin, `Bearer ${(body as { access_token: string }).access_token}`);

/** The end-to-end test of the application, the same before and after. */
async function useCats({ origin }: Application, name: string): Promise<void> {
  const anyone = new Visitor(origin);
  const email = `${name}@acme.test`;
  expect(await anyone.get('/profile')).toMatchObject({ status: 401, body: { statusCode: 401 } });
  const { status, body } = await anyone.post('/auth/register', { email, password });
  expect(status).toBe(201);
  const client = clientOf(origin, body);
  expect(await client.get('/profile')).toMatchObject({ status: 200, body: { email } });
  expect(await client.post('/cats', { name: `cat of ${name}` })).toMatchObject({ status: 201 });
  await expectSignIn(origin, name);
}

async function expectSignIn(origin: string, name: string): Promise<Visitor> {
  const anyone = new Visitor(origin);
  const email = `${name}@acme.test`;
  const wrong = await anyone.post('/auth/login', { email, password: `${password}?` });
  expect(wrong).toMatchObject({ status: 401 });
  const { status, body } = await anyone.post('/auth/login', { email, password });
  expect(status).toBe(200);
  const client = clientOf(origin, body);
  expect(await client.get('/cats')).toMatchObject({ status: 200, body: [`cat of ${name}`] });
  return client;
}

describeWithOldPackages('an application with NestJS and Passport', () => {
  const scene = moveScene();

  test('keeps users, passwords and tokens', async () => {
    const settings = {
      DATABASE_URL: scene.databaseUrl,
      JWT_SECRET: 'the secret of the old tokens, as it was',
      AUTH_SECRET: 'the secret of svc-auth, which is a new one',
    };
    let application = await scene.start('nestjs/old.cjs', settings);
    await useCats(application, 'ada');
    const ada = await expectSignIn(application.origin, 'ada');
    await scene.stop();

    await runCommands('nestjs/move.sh', settings);

    application = await scene.start('nestjs/moved.ts', settings);
    const { origin } = application;
    expect(await ada.get('/cats')).toMatchObject({ status: 200, body: ['cat of ada'] });
    await expectSignIn(origin, 'ada');
    await useCats(application, 'barbara');
  });
});
