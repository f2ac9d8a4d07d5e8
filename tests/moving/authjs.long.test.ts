/** Photos with Auth.js moves: Google, links by mail, sessions in the database. */
import type { OidcServer } from '../support/oidc-server.js';
import { describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands } from './support/commands.js';
import { googleOf, moveScene } from './support/scene.js';

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
  const scene = moveScene();
  const google = googleOf(scene, '/auth/callback/google');

  const settings = ({ client }: OidcServer) => ({
    DATABASE_URL: scene.databaseUrl,
    AUTH_SECRET: 'the secret of Auth.js, as it was before',
    NEW_SECRET: 'the secret of svc-auth, which is a new one',
    GOOGLE: JSON.stringify(client),
  });

  test('keeps users, Google accounts and sessions', async () => {
    let application = await scene.start('authjs/old.mjs', settings(google.before));
    const { origin } = application;
    const ada = await usePhotos(application, withAuthJs, google.before, 'ada');
    const signedOut = new Visitor(origin);
    await withAuthJs.google(signedOut, google.before, 'google-ada');
    const stolen = signedOut.copy();
    await withAuthJs.signOut(signedOut);
    await scene.stop();

    await runCommands('authjs/move.sh', { ORIGIN: origin, ...settings(google.after) });

    application = await scene.start('authjs/moved.ts', settings(google.after));
    expect(await ada.get('/photos')).toMatchObject({ status: 200, body: ['of ada'] });
    expect(ada.cookieNames()).toContain('svc_session');
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    google.after.accounts.set('google-ada', { email: 'ada@acme.test', email_verified: true });
    const adaAgain = new Visitor(origin);
    await withSvcAuth.google(adaAgain, google.after, 'google-ada');
    expect(await adaAgain.get('/photos')).toMatchObject({ status: 200, body: ['of ada'] });
    await usePhotos(application, withSvcAuth, google.after, 'barbara');
  });
});
