// Password hashes that were created at another cost are renewed at sign-in
// (docs/decisions/passwords.md).
import type { PasswordHasher } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { cheapHasher, type TestService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';
import {
  login,
  otherPassword,
  password,
  passwordAccounts,
  setPassword,
} from '../support/password-accounts.js';

/**
 * A hasher with versions: it verifies hashes of every version, and renews those of other versions.
 */
function versioned(version: number) {
  const cheap = cheapHasher();
  const state = { hashed: 0, fails: false };
  const hasher: PasswordHasher = {
    async hash(plain) {
      if (state.fails) throw new Error('no memory');
      state.hashed += 1;
      return `v${version}$${await cheap.hash(plain)}`;
    },
    verify: (plain, hash) => cheap.verify(plain, hash.replace(/^v\d\$/, '')),
    needsRehash: (hash) => !hash.startsWith(`v${version}$`),
  };
  return { hasher, state };
}

describeAdapters('a password hash of another version', ({ make, uniqueEmail }) => {
  const { signUpUser } = passwordAccounts(uniqueEmail);
  const stored = async ({ adapter }: TestService, email: string) => (await adapter.users.findByEmail(email))!;

  /** A user with a hash of version 1, and a service whose hasher creates version 2. */
  async function outdated() {
    const before = await make({ providers: { emailPassword: { hasher: versioned(1).hasher } } });
    const { email, user } = await signUpUser(before);
    const { hasher, state } = versioned(2);
    const test = await make({ providers: { emailPassword: { hasher } } });
    state.hashed = 0;
    return { test, email, user, state };
  }

  it('renews an outdated hash once when its user signs in, and changes nothing else', async () => {
    const { test, email, user, state } = await outdated();
    const session = test.service.createSessionToken(user.id);
    const before = await stored(test, email);
    expect(before.passwordHash).toMatch(/^v1\$/);
    expect(await login(test, email)).toBe('ok');
    const after = await stored(test, email);
    expect(after.passwordHash).toMatch(/^v2\$/);
    expect(after).toEqual({ ...before, passwordHash: after.passwordHash });
    expect((await test.service.getSessionUser(session.token)).id).toBe(user.id);
    expect(await login(test, email)).toBe('ok');
    expect(state.hashed).toBe(1);
  });

  it('keeps an outdated hash at a wrong password', async () => {
    const { test, email, state } = await outdated();
    expect(await login(test, email, otherPassword)).toBe('invalid_credentials');
    expect((await stored(test, email)).passwordHash).toMatch(/^v1\$/);
    expect(state.hashed).toBe(0);
  });

  it('keeps a pending reset valid when a hash is renewed', async () => {
    const { test, email } = await outdated();
    await test.service.emailPassword.requestReset({ email });
    await test.service.close();
    const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
    expect(await login(test, email)).toBe('ok');
    expect(await setPassword(test, token)).toBe('ok');
  });

  it('replaces an outdated hash at a password change', async () => {
    const { test, email, user } = await outdated();
    const input = { userId: user.id, currentPassword: password, newPassword: otherPassword };
    expect(await outcomeOf(() => test.service.emailPassword.changePassword(input))).toBe('ok');
    expect(await login(test, email, otherPassword)).toBe('ok');
    expect(await login(test, email)).toBe('invalid_credentials');
  });

  it('signs the user in and logs a warning if the hash cannot be renewed', async () => {
    const { test, email, user, state } = await outdated();
    state.fails = true;
    expect(await login(test, email)).toBe('ok');
    expect((await stored(test, email)).passwordHash).toMatch(/^v1\$/);
    expect(test.log.filter(({ level }) => level === 'warn').at(-1)).toMatchObject({
      fields: { userId: user.id, err: { message: 'no memory' } },
      message: 'a password hash could not be renewed',
    });
  });

  it('signs the user in every time and renews the hash once for concurrent sign-ins', async () => {
    const { test, email } = await outdated();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => login(test, email)));
    expect(outcomes).toEqual(Array(5).fill('ok'));
    expect((await stored(test, email)).passwordHash).toMatch(/^v2\$/);
  });
});
