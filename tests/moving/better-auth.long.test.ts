/** Tasks with better-auth moves: passwords, user names, Google, authenticator apps, passkeys, organizations and sessions. */
import { softwareAuthenticator, type SoftwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import type { OidcServer } from '../support/oidc-server.js';
import { querySql } from '../support/postgres.js';
import { describeWithOldPackages, Visitor, type Application } from './support/application.js';
import { runCommands } from './support/commands.js';
import { googleOf, moveScene } from './support/scene.js';

const password = 'an old password of ada';

/** How a visitor of the application signs in: the client of the pages is another one afterwards, what people do is the same. */
interface WaysIn {
  signUp(visitor: Visitor, email: string): Promise<void>;
  /** Returns whether the sign-in has succeeded, or needs a second factor. */
  signIn(visitor: Visitor, email: string, secret: string): Promise<'signed in' | 'second factor' | 'refused'>;
  signOut(visitor: Visitor): Promise<void>;
  /** Returns whether the code of an authenticator app completes a sign-in. */
  confirm(visitor: Visitor, code: string): Promise<boolean>;
  google(visitor: Visitor, google: OidcServer, subject: string): Promise<void>;
  passkey(visitor: Visitor, authenticator: SoftwareAuthenticator): Promise<void>;
}

const withBetterAuth: WaysIn = {
  async signUp(visitor, email) {
    const user = { name: email, email, username: email.split('@')[0], password };
    expect(await visitor.post('/api/auth/sign-up/email', user)).toMatchObject({ status: 200 });
  },
  async signIn(visitor, email, secret) {
    const { status, body } = await visitor.post('/api/auth/sign-in/email', { email, password: secret });
    if (status !== 200) return 'refused';
    return (body as { twoFactorRedirect?: boolean }).twoFactorRedirect ? 'second factor' : 'signed in';
  },
  signOut: async (visitor) => void (await visitor.post('/api/auth/sign-out', {})),
  confirm: async (visitor, code) =>
    (await visitor.post('/api/auth/two-factor/verify-totp', { code })).status === 200,
  async google(visitor, google, subject) {
    const { body } = await visitor.post('/api/auth/sign-in/social', { provider: 'google', callbackURL: '/' });
    const callback = await google.signIn((body as { url: string }).url, subject);
    expect(await visitor.get(callback.href)).toMatchObject({ status: 302 });
  },
  async passkey(visitor, authenticator) {
    const { body } = await visitor.get('/api/auth/passkey/generate-authenticate-options');
    const response = authenticator.get(body as Parameters<SoftwareAuthenticator['get']>[0]);
    const verified = await visitor.post('/api/auth/passkey/verify-authentication', { response });
    expect(verified).toMatchObject({ status: 200 });
  },
};

const withSvcAuth: WaysIn = {
  async signUp(visitor, email) {
    const user = { email, username: email.split('@')[0], password };
    expect(await visitor.post('/api/auth/password/signup', user)).toMatchObject({ status: 200 });
  },
  async signIn(visitor, email, secret) {
    const { status, body } = await visitor.post('/api/auth/password/login', { email, password: secret });
    if (status === 200) return 'signed in';
    return (body as { error: string }).error === 'mfa_required' ? 'second factor' : 'refused';
  },
  signOut: async (visitor) => void (await visitor.post('/api/auth/logout')),
  confirm: async (visitor, code) => (await visitor.post('/api/auth/mfa/verify', { code })).status === 200,
  async google(visitor, google, subject) {
    const { location } = await visitor.get('/api/auth/google/start');
    const callback = await google.signIn(location ?? '', subject);
    expect(await visitor.get(callback.href)).toMatchObject({ status: 302 });
  },
  async passkey(visitor, authenticator) {
    const { body } = await visitor.post('/api/auth/passkeys/authenticate/start');
    const { options } = body as { options: Parameters<SoftwareAuthenticator['get']>[0] };
    const finished = await visitor.post('/api/auth/passkeys/authenticate/finish', {
      response: authenticator.get(options),
    });
    expect(finished).toMatchObject({ status: 200 });
  },
};

/** The end-to-end test of the application, the same before and after. */
async function useTasks({ origin }: Application, ways: WaysIn, name: string): Promise<void> {
  const visitor = new Visitor(origin);
  const email = `${name}@acme.test`;
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  await ways.signUp(visitor, email);
  expect(await visitor.get('/me')).toMatchObject({ status: 200, body: { email } });
  expect(await visitor.post('/tasks', { title: `of ${name}` })).toMatchObject({ status: 201 });
  await ways.signOut(visitor);
  expect(await visitor.get('/me')).toMatchObject({ status: 401 });
  expect(await ways.signIn(visitor, email, `${password}?`)).toBe('refused');
  expect(await ways.signIn(visitor, email, password)).toBe('signed in');
  expect(await visitor.get('/tasks')).toMatchObject({ status: 200, body: [`of ${name}`] });
}

describeWithOldPackages('an application with better-auth', () => {
  const scene = moveScene();
  const google = googleOf(scene, '/api/auth/callback/google', ['grace']);

  const settings = ({ client }: OidcServer) => ({
    DATABASE_URL: scene.databaseUrl,
    AUTH_SECRET: 'the secret of better-auth, as it was before',
    NEW_SECRET: 'the secret of svc-auth, which is a new one',
    ENCRYPTION_KEY: 'the key of svc-auth for authenticator apps',
    GOOGLE: JSON.stringify(client),
  });

  test('keeps users, every way to sign in, organizations and sessions', async () => {
    let application = await scene.start('better-auth/old.mjs', settings(google.before));
    const { origin } = application;
    await useTasks(application, withBetterAuth, 'ada');

    const ada = new Visitor(origin);
    await withBetterAuth.signIn(ada, 'ada@acme.test', password);
    await ada.post('/api/auth/organization/create', { name: 'Acme', slug: 'acme' });
    const authenticator = softwareAuthenticator({ origin });
    const { body: options } = await ada.get('/api/auth/passkey/generate-register-options');
    const response = authenticator.create(options as Parameters<SoftwareAuthenticator['create']>[0]);
    const registered = await ada.post('/api/auth/passkey/verify-registration', { response });
    expect(registered).toMatchObject({ status: 200 });
    await withBetterAuth.passkey(new Visitor(origin), authenticator);

    const tim = new Visitor(origin);
    await withBetterAuth.signUp(tim, 'tim@acme.test');
    const enabled = await tim.post('/api/auth/two-factor/enable', { password });
    const { totpURI, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] };
    const appSecret = new URL(totpURI).searchParams.get('secret') ?? '';
    const now = () => Date.now();
    expect(await withBetterAuth.confirm(tim, codeAt(appSecret, now()))).toBe(true);

    const grace = new Visitor(origin);
    await withBetterAuth.google(grace, google.before, 'grace-1');
    await grace.post('/tasks', { title: 'of grace' });

    const signedOut = new Visitor(origin);
    await withBetterAuth.signIn(signedOut, 'ada@acme.test', password);
    const stolen = signedOut.copy();
    await withBetterAuth.signOut(signedOut);
    await scene.stop();

    await runCommands('better-auth/move.sh', { ORIGIN: origin, ...settings(google.after) });

    application = await scene.start('better-auth/moved.ts', settings(google.after));
    expect(await ada.get('/tasks')).toMatchObject({ status: 200, body: ['of ada'] });
    expect(await grace.get('/tasks')).toMatchObject({ status: 200, body: ['of grace'] });
    expect(ada.cookieNames()).toContain('svc_session');
    expect(await stolen.get('/me')).toMatchObject({ status: 401 });
    expect((await ada.get('/api/auth/orgs')).body).toMatchObject({
      orgs: [{ org: { name: 'Acme', slug: 'acme' }, membership: { role: 'owner' } }],
    });

    // It becomes ours at the first sign-in.
    expect(await withSvcAuth.signIn(new Visitor(origin), 'ada@acme.test', password)).toBe('signed in');

    const passkeyUser = new Visitor(origin);
    await withSvcAuth.passkey(passkeyUser, authenticator);
    expect(await passkeyUser.get('/tasks')).toMatchObject({ status: 200, body: ['of ada'] });

    const timAgain = new Visitor(origin);
    expect(await withSvcAuth.signIn(timAgain, 'tim@acme.test', password)).toBe('second factor');
    expect(await withSvcAuth.confirm(timAgain, codeAt(appSecret, now()))).toBe(true);
    expect(await timAgain.get('/me')).toMatchObject({ status: 200 });
    const withoutApp = new Visitor(origin);
    expect(await withSvcAuth.signIn(withoutApp, 'tim@acme.test', password)).toBe('second factor');
    const recovery = { recoveryCode: backupCodes[0] };
    expect(await withoutApp.post('/api/auth/mfa/verify', recovery)).toMatchObject({ status: 200 });

    const graceAgain = new Visitor(origin);
    await withSvcAuth.google(graceAgain, google.after, 'grace-1');
    expect(await graceAgain.get('/tasks')).toMatchObject({ status: 200, body: ['of grace'] });
    await useTasks(application, withSvcAuth, 'barbara');
    const hashes = await querySql(
      scene.databaseUrl,
      `select password_hash from svc_users where email = 'ada@acme.test'`,
    );
    expect(hashes[0]?.['password_hash']).toMatch(/^\$2b\$10\$/);
  });
});
