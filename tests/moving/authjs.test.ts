/** Photos with Auth.js moves: Google, links by mail, sessions in the database. */
import { freePort } from '../support/free-port.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import {
  describeWithOldPackages,
  startApplication,
  Visitor,
  type Application,
} from './support/application.js';
import { runCommands } from './support/commands.js';

interface WaysIn {
  google(visitor: Visitor, google: OidcServer, subject: string): Promise<void>;
  link(visitor: Visitor, application: Application, email: string): Promise<void>;
  signOut(visitor: Visitor): Promise<void>;
}

const csrfOf = async (visitor: Visitor) => (await visitor.get('/auth/csrf')).body as { csrfToken: string };

const withAuthJs: WaysIn = {
  async google(visitor, google, subject) {
    const { location } = await visitor.post('/auth/signin/google', {
      ...(await csrfOf(visitor)),
      callbackUrl: '/',
    });
    const callback = await google.signIn(location ?? '', subject);
    expect(await visitor.get(callback.href)).toMatchObject({ status: 302 });
  },
  async link(visitor, { mails }, email) {
    await visitor.post('/auth/signin/email', { ...(await csrfOf(visitor)), email, callbackUrl: '/' });
    expect(await visitor.get(mails.at(-1)?.url ?? '')).toMatchObject({ status: 302 });
  },
  signOut: async (visitor) => void (await visitor.post('/auth/signout', await csrfOf(visitor))),
};

const withSvcAuth: WaysIn = {
  async google(visitor, google, subject) {
    const { location } = await visitor.get('/api/auth/google/start');
    const callback = await google.signIn(location ?? '', subject);
    expect(await visitor.get(callback.href)).toMatchObject({ status: 302 });
  },
  async link(visitor, { mails }, email) {
    expect(await visitor.post('/api/auth/magic-link/send', { email })).toMatchObject({ status: 200 });
    expect(await visitor.get(mails.at(-1)?.url ?? '')).toMatchObject({ status: 302 });
  },
  signOut: async (visitor) => void (await visitor.post('/api/auth/logout')),
};

/** The end-to-end test of the application, the same before and after. */
async function usePhotos(
  application: Application,
  ways: WaysIn,
  google: OidcServer,
  name: string,
): Promise<Visitor> {
  const visitor = new Visitor(application.origin);
  const email = `${name}@acme.test`;
  google.accounts.set(`google-${name}`, { email, email_verified: true, name });
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  await ways.google(visitor, google, `google-${name}`);
  expect(await visitor.get('/me')).toMatchObject({ status: 200, body: { email } });
  expect(await visitor.post('/photos', { name: `of ${name}` })).toMatchObject({ status: 201 });
  await ways.signOut(visitor);
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  await ways.link(visitor, application, `${name}.second@acme.test`);
  expect(await visitor.get('/me')).toMatchObject({
    status: 200,
    body: { email: `${name}.second@acme.test` },
  });
  await ways.signOut(visitor);
  await ways.google(visitor, google, `google-${name}`);
  expect(await visitor.get('/photos')).toMatchObject({ status: 200, body: [`of ${name}`] });
  return visitor;
}

describeWithOldPackages('an application with Auth.js', () => {
  let database: TestDatabase;
  let port: number;
  let before: OidcServer;
  let after: OidcServer;
  let application: Application | undefined;

  beforeAll(async () => {
    database = await createDatabase();
    port = await freePort();
    before = await startOidcServer(`http://localhost:${port}/auth/callback/google`);
    after = await startOidcServer(`http://localhost:${port}/api/auth/google/callback`);
  });
  afterAll(async () => {
    await application?.stop();
    await Promise.all([before.stop(), after.stop()]);
    await database.drop();
  });

  const settings = (google: OidcServer) => ({
    DATABASE_URL: database.url,
    AUTH_SECRET: 'the secret of Auth.js, as it was before',
    NEW_SECRET: 'the secret of svc-auth, which is a new one',
    GOOGLE: JSON.stringify(google.client),
  });

  test('keeps users, Google accounts and sessions', async () => {
    application = await startApplication('authjs/old.mjs', settings(before), port);
    const { origin } = application;
    const ada = await usePhotos(application, withAuthJs, before, 'ada');
    const signedOut = new Visitor(origin);
    await withAuthJs.google(signedOut, before, 'google-ada');
    const stolen = signedOut.copy();
    await withAuthJs.signOut(signedOut);
    await application.stop();

    await runCommands('authjs/move.sh', { ORIGIN: origin, ...settings(after) });

    application = await startApplication('authjs/moved.ts', settings(after), port);
    expect(await ada.get('/photos')).toMatchObject({ status: 200, body: ['of ada'] });
    expect(ada.cookieNames()).toContain('svc_session');
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    after.accounts.set('google-ada', { email: 'ada@acme.test', email_verified: true });
    const adaAgain = new Visitor(origin);
    await withSvcAuth.google(adaAgain, after, 'google-ada');
    expect(await adaAgain.get('/photos')).toMatchObject({ status: 200, body: ['of ada'] });
    await usePhotos(application, withSvcAuth, after, 'barbara');
  });
});
