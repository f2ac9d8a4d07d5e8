// Hashes of another system become ours at the first sign-in.
import { pbkdf2Sync } from 'node:crypto';
import { bcryptHasher, pbkdf2Hasher, type PasswordHasher } from 'svc-auth';
import { hashToStore } from '../../src/core/passwords/foreign/imported-hash.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { cheapHasher } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';
import { login, otherPassword, password } from '../support/password-accounts.js';

const key = pbkdf2Sync(password, 'salt', 1000, 32, 'sha256').toString('base64');
const django = `pbkdf2_sha256$1000$salt$${key}`;

describeAdapters('a password hash of another system', ({ make, uniqueEmail }) => {
  async function imported(hasher: PasswordHasher = cheapHasher()) {
    const test = await make({ providers: { emailPassword: { hasher } } });
    const email = uniqueEmail();
    const user = await test.service.users.create({ email });
    const { epoch } = (await test.adapter.users.findById(user.id))!;
    await test.adapter.users.setFirstPassword(user.id, epoch, hashToStore(django, hasher), new Date(0));
    const storedHash = async () => (await test.adapter.users.findById(user.id))!.passwordHash;
    return { test, email, user, storedHash };
  }

  it.each<[string, () => PasswordHasher, RegExp]>([
    ['a hasher of the application', cheapHasher, /^cheap\$/],
    ['bcryptHasher', bcryptHasher, /^\$2b\$10\$/],
    [
      '`previous` that does not say what it recognizes',
      () => bcryptHasher({ previous: cheapHasher() }),
      /^\$2b\$10\$/,
    ],
    ['`previous`', () => bcryptHasher({ previous: pbkdf2Hasher({ rounds: 1000 }) }), /^\$2b\$10\$/],
  ])('signs the user in and becomes a hash of the configured hasher: %s', async (_name, hasher, form) => {
    const { test, email, storedHash } = await imported(hasher());
    expect(await login(test, email, otherPassword)).toBe('invalid_credentials');
    expect(await storedHash()).toBe(`imported:${django}`);
    expect(await login(test, email)).toBe('ok');
    expect(await storedHash()).toMatch(form);
    expect(await login(test, email)).toBe('ok');
    expect(await login(test, email, otherPassword)).toBe('invalid_credentials');
    expect(test.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('signs the user in every time and is replaced once by concurrent sign-ins', async () => {
    const { test, email, storedHash } = await imported();
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => login(test, email)));
    expect(outcomes).toEqual(Array(4).fill('ok'));
    expect(await storedHash()).toMatch(/^cheap\$/);
  });

  it('is never put back over a password that was changed in the meantime', async () => {
    const { test, email, user, storedHash } = await imported();
    const change = { userId: user.id, currentPassword: password, newPassword: otherPassword };
    const [changed] = await Promise.all([
      outcomeOf(() => test.service.emailPassword.changePassword(change)),
      login(test, email),
      login(test, email),
    ]);
    expect(changed).toBe('ok');
    expect(await storedHash()).toMatch(/^cheap\$/);
    expect(await login(test, email, otherPassword)).toBe('ok');
    expect(await login(test, email)).toBe('invalid_credentials');
  });

  it('is the current password of a change, which refuses every other', async () => {
    const { test, user, email } = await imported();
    const change = (currentPassword: string) =>
      outcomeOf(() =>
        test.service.emailPassword.changePassword({
          userId: user.id,
          currentPassword,
          newPassword: otherPassword,
        }),
      );
    expect(await change('wrong password')).toBe('invalid_credentials');
    expect(await change(password)).toBe('ok');
    expect(await login(test, email, otherPassword)).toBe('ok');
  });
});
