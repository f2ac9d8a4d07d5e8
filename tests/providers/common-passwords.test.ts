// New passwords against the list of common ones, the names of the account, and the filter of an application.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError, type ServiceConfig } from 'svc-auth';
import { buildFilter } from '../../src/core/passwords/build-filter.js';
import { countingHasher, login, password, resetToken, setPassword } from '../support/password-accounts.js';
import { makeService, type Overrides, type TestService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';

type Options = Partial<NonNullable<NonNullable<ServiceConfig['providers']>['emailPassword']>>;

const email = 'ada.lovelace@example.com';
const make = (options: Options = {}, more: Overrides = {}) =>
  makeService({ providers: { emailPassword: options }, usernames: { enabled: true }, ...more });

/** Every method that sets a password. Each gets a service without users, and returns what sets one. */
const setters: readonly [
  name: string,
  prepare: (test: TestService) => Promise<(newPassword: string) => Promise<unknown>>,
][] = [
  [
    'a sign-up',
    async ({ service }) =>
      (newPassword) =>
        service.emailPassword.signup({ email, password: newPassword, username: 'Countess' }),
  ],
  [
    'a change',
    async ({ service }) => {
      const { user } = await service.emailPassword.signup({ email, password, username: 'Countess' });
      const change = { userId: user.id, currentPassword: password };
      return (newPassword) => service.emailPassword.changePassword({ ...change, newPassword });
    },
  ],
  [
    'a user whom an administrator creates',
    async ({ service }) =>
      (newPassword) =>
        service.users.create({ email, password: newPassword, username: 'Countess' }),
  ],
  [
    'a password that an administrator sets',
    async ({ service }) => {
      const { id } = await service.users.create({ email, username: 'Countess' });
      return (newPassword) => service.users.setPassword(id, newPassword);
    },
  ],
];

/** Methods that do not know the user name, or must not reveal it. */
const settersWithoutName: typeof setters = [
  [
    'a reset',
    async (test) => {
      await test.service.emailPassword.signup({ email, password });
      const token = await resetToken(test, email);
      return (newPassword) => test.service.emailPassword.setPassword({ token, newPassword });
    },
  ],
  [
    'an accepted invite',
    async ({ service, mail }) => {
      await service.users.invite({ email });
      const token = new URL(mail.lastLink(email)!).searchParams.get('token')!;
      return (newPassword) => service.emailPassword.setPassword({ token, newPassword });
    },
  ],
];

describe('A new password', () => {
  //
  it.each([...setters, ...settersWithoutName])(
    'is refused if it is common or made of known names: %s',
    async (_name, prepare) => {
      const set = await prepare(await make());
      for (const [refused, reason] of [
        ['password1', 'common'],
        ['PassWord1', 'common'],
        ['qwertyuiop', 'common'],
        // Not the address itself, which the search for leaked passwords would find in every result.
        ['ADA-LOVELACE', 'containsEmail'],
        ['Lovelace1815', 'containsEmail'],
        ['acme2026', 'containsName'],
        ['Acme Ada 1815', 'containsName'],
      ] as const) {
        const error = await errorOf(() => set(refused));
        expect([refused, error.code, error.reason]).toEqual([refused, 'weak_password', reason]);
        expect(error.message).not.toContain(refused);
      }
      await set('a fine password');
    },
  );

  it.each(setters)('is refused if it is made of the user name: %s', async (_name, prepare) => {
    const set = await prepare(await make());
    for (const refused of ['COUNTESS!', 'countess1815'])
      expect(await errorOf(() => set(refused))).toMatchObject({
        code: 'weak_password',
        reason: 'containsName',
      });
    await set('the countess of it');
  });

  it('does not consume a reset token if it is refused', async () => {
    const test = await make();
    await test.service.emailPassword.signup({ email, password });
    const token = await resetToken(test, email);
    for (const refused of ['password1', 'lovelace1815', 'acme2026'])
      expect(await setPassword(test, token, refused)).toBe('weak_password');
    expect(await login(test, email)).toBe('ok');
    expect(await setPassword(test, token, 'a fine password')).toBe('ok');
  });

  it.each([...setters, ...settersWithoutName])(
    'is accepted with commonPasswords: false, whatever it is: %s',
    async (_name, prepare) => {
      const set = await prepare(await make({ commonPasswords: false }));
      await set('password1');
    },
  );

  it('may be made of names with commonPasswords: false', async () => {
    const { service } = await make({ commonPasswords: false });
    await service.emailPassword.signup({ email, password: 'lovelace1815', username: 'Countess' });
    await service.users.create({ email: 'b@example.com', password: 'acme2026' });
  });

  it('is refused the same way whether or not the address has an account, and is not hashed', async () => {
    const { hasher, hashed } = countingHasher();
    const { service } = await make({ hasher });
    await service.emailPassword.signup({ email, password });
    const before = hashed.length;
    const responses = [];
    for (const address of [email, 'nobody@example.com']) {
      const error = await errorOf(() =>
        service.emailPassword.signup({ email: address, password: 'password1' }),
      );
      responses.push([error.code, error.reason, error.message]);
    }
    expect(responses[0]).toEqual(responses[1]);
    expect(hashed).toHaveLength(before);
  });

  it('counts as a sign-up if it is refused, so that a client cannot try the list without a limit', async () => {
    const limits = { perIp: { max: 3, windowMs: 60_000 }, perNetwork: { max: 9, windowMs: 60_000 } };
    const { service } = await make({}, { rateLimit: { signUp: limits } });
    const attempt = () =>
      errorOf(() => service.emailPassword.signup({ email, password: 'password1' }, { ip: '192.0.2.1' }));
    for (let i = 0; i < 3; i += 1) expect((await attempt()).code).toBe('weak_password');
    expect((await attempt()).code).toBe('rate_limit_exceeded');
  });

  it('is checked when it is set, and never at a login: users keep a common password that they have', async () => {
    const before = await make({ commonPasswords: false });
    await before.service.emailPassword.signup({ email, password: 'password1' });
    const after = await make({}, { adapter: before.adapter });
    expect(await login(after, email, 'password1')).toBe('ok');
  });
});

describe('A filter of the application', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-common-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function filterOf(...words: string[]): Promise<string> {
    const [list, file] = [path.join(folder, 'list'), path.join(folder, 'filter')];
    writeFileSync(list, words.join('\n'));
    await buildFilter(list, file);
    return file;
  }

  it('is asked in addition to the list of the package', async () => {
    const file = await filterOf('winter is here', 'internal project');
    const { service } = await make({ commonPasswords: { file } });
    for (const refused of ['Winter Is Here', 'internal project', 'password1', 'lovelace1815'])
      await expect(service.emailPassword.signup({ email, password: refused })).rejects.toMatchObject({
        code: 'weak_password',
      });
    await service.emailPassword.signup({ email, password: 'summer is there' });
  });

  it('can be replaced while the service runs', async () => {
    const file = await filterOf('winter is here');
    const { service } = await make({ commonPasswords: { file } });
    await filterOf('summer is there');
    const refused = service.emailPassword.signup({ email, password: 'summer is there' });
    await expect(refused).rejects.toMatchObject({ reason: 'common' });
    await service.emailPassword.signup({ email, password: 'winter is here' });
  });

  it('that is missing or damaged is reported by init() with its option', async () => {
    const file = path.join(folder, 'missing');
    for (const prepare of [() => undefined, () => writeFileSync(file, 'password1\n')]) {
      prepare();
      const { service } = await makeService({
        init: false,
        providers: { emailPassword: { commonPasswords: { file } } },
      });
      const error = await errorOf(() => service.init());
      expect(error).toBeInstanceOf(ConfigError);
      expect(error.message).toContain('providers.emailPassword.commonPasswords.file');
    }
  });

  it('that disappears later refuses new passwords with internal_error instead of accepting them', async () => {
    const file = await filterOf('winter is here');
    const test = await make({ commonPasswords: { file } });
    await test.service.emailPassword.signup({ email, password });
    rmSync(file);
    const refused = test.service.emailPassword.signup({ email: 'b@example.com', password: 'winter is here' });
    await expect(refused).rejects.toMatchObject({ code: 'internal_error' });
    expect(await login(test, email)).toBe('ok');
  });
});

describe('A hasher of another algorithm', () => {
  it('is used from the next sign-in on: the hash is renewed, and the sessions stay', async () => {
    const { argon2idHasher } = await import('svc-auth');
    const before = await make({ hasher: undefined });
    const { user } = await before.service.emailPassword.signup({ email, password }, { startSession: true });
    const hashOf = async () => (await before.adapter.users.findByEmail(email))!.passwordHash;
    expect(await hashOf()).toMatch(/^\$2b\$10\$/);
    const hasher = argon2idHasher({ memoryKiB: 7168, passes: 1 });
    const after = await make({ hasher }, { adapter: before.adapter });
    expect(await login(after, email, 'a wrong password')).toBe('invalid_credentials');
    expect(await hashOf()).toMatch(/^\$2b\$10\$/);
    expect(await login(after, email)).toBe('ok');
    expect(await hashOf()).toMatch(/^\$argon2id\$v=19\$m=7168,t=1,p=1\$/);
    expect(await login(after, email)).toBe('ok');
    expect(await login(after, email, 'a wrong password')).toBe('invalid_credentials');
    await after.service.users.setPassword(user.id, 'a fine password');
    expect(await hashOf()).toMatch(/^\$argon2id\$/);
    expect(await login(after, email, 'a fine password')).toBe('ok');
  });
});
