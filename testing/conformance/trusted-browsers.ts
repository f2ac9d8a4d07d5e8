import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredTrustedBrowser } from '../../src/domain/trusted-browser.js';
import { confirmedTotp, newCredential } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  resetOf,
  storedReset,
  testsRequiring,
  type RegisterConformanceTest,
  type With,
} from './suite.js';

export function newBrowser(
  userId: string,
  overrides: Partial<StoredTrustedBrowser> = {},
): StoredTrustedBrowser {
  return {
    id: randomUUID(),
    userId,
    secretHash: randomUUID(),
    epoch: 0,
    device: { userAgent: 'Test/1.0', ip: '192.0.2.1' },
    createdAt: now,
    lastUsedAt: null,
    expiresAt: after(60_000),
    ...overrides,
  };
}

/** As `list` returns it. */
const listed = (browser: StoredTrustedBrowser, isSignedIn = false) => ({ ...browser, isSignedIn });

export async function trusted(
  storage: With<'trustedBrowsers'>,
  userId: string,
  overrides: Partial<StoredTrustedBrowser> = {},
): Promise<StoredTrustedBrowser> {
  const browser = newBrowser(userId, overrides);
  assert.deepEqual(await storage.trustedBrowsers.insert(browser, []), { id: browser.id, replaced: [] });
  return browser;
}

export function describeTrustedBrowsers(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'trustedBrowsers');

  const counts = async (
    { trustedBrowsers }: With<'trustedBrowsers'>,
    { userId, secretHash }: StoredTrustedBrowser,
    epoch = 0,
  ) => (await trustedBrowsers.use(userId, epoch, [secretHash], now)) !== null;

  test('a trusted browser counts for its user only, and records its use', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const browser = await trusted(storage, mine.id);
    const { trustedBrowsers } = storage;
    assert.equal(await trustedBrowsers.use(other.id, 0, [browser.secretHash], now), null);
    assert.equal(await trustedBrowsers.use(randomUUID(), 0, [browser.secretHash], now), null);
    assert.equal(await trustedBrowsers.use(mine.id, 0, [], now), null);
    assert.equal(await trustedBrowsers.use(mine.id, 0, [randomUUID()], now), null);
    assert.deepEqual(await trustedBrowsers.list(mine.id, now), [listed(browser)]);
    assert.equal(
      await trustedBrowsers.use(mine.id, 0, [randomUUID(), browser.secretHash], after(5)),
      browser.id,
    );
    assert.deepEqual(await trustedBrowsers.list(mine.id, now), [
      listed({ ...browser, lastUsedAt: after(5) }),
    ]);
    assert.deepEqual(await trustedBrowsers.list(other.id, now), []);
  });

  test('a trusted browser does not count once it has expired', async (storage) => {
    const { id } = await insertedUser(storage);
    const browser = await trusted(storage, id);
    const { secretHash } = browser;
    assert.equal(await storage.trustedBrowsers.use(id, 0, [secretHash], after(59_999)), browser.id);
    assert.equal(await storage.trustedBrowsers.use(id, 0, [secretHash], after(60_000)), null);
    assert.deepEqual(await storage.trustedBrowsers.list(id, after(60_000)), []);
  });

  test('insert replaces browsers of the same user only, and does nothing for another epoch', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const [first, theirs] = [await trusted(storage, mine.id), await trusted(storage, other.id)];
    const replaces = [first.secretHash, theirs.secretHash, randomUUID()];
    assert.equal(await storage.trustedBrowsers.insert(newBrowser(mine.id, { epoch: 1 }), replaces), null);
    assert.equal(await storage.trustedBrowsers.insert(newBrowser(randomUUID()), replaces), null);
    assert.equal(await counts(storage, first), true);
    const next = newBrowser(mine.id);
    // Sessions refer to the browser by its id, so it keeps it.
    const inserted = { id: first.id, replaced: [first.secretHash] };
    assert.deepEqual(await storage.trustedBrowsers.insert(next, replaces), inserted);
    assert.deepEqual(await storage.trustedBrowsers.list(mine.id, now), [
      listed({ ...next, id: first.id, lastUsedAt: null }),
    ]);
    assert.deepEqual(
      [await counts(storage, first), await counts(storage, theirs), await counts(storage, next)],
      [false, true, true],
    );
  });

  test('list returns the newest first', async (storage) => {
    const { id } = await insertedUser(storage);
    const first = await trusted(storage, id);
    const second = await trusted(storage, id, { createdAt: after(1) });
    assert.deepEqual(await storage.trustedBrowsers.list(id, now), [listed(second), listed(first)]);
  });

  test('revoke and revokeAll end browsers of the user only', async (storage) => {
    const [mine, other] = [await insertedUser(storage), await insertedUser(storage)];
    const [first, second] = [await trusted(storage, mine.id), await trusted(storage, mine.id)];
    const theirs = await trusted(storage, other.id);
    const { trustedBrowsers } = storage;
    for (const id of [theirs.id, randomUUID(), '', 'x'])
      assert.equal(await trustedBrowsers.revoke(mine.id, id), false);
    assert.deepEqual(
      [await trustedBrowsers.revoke(mine.id, first.id), await trustedBrowsers.revoke(mine.id, first.id)],
      [true, false],
    );
    assert.deepEqual([await counts(storage, first), await counts(storage, second)], [false, true]);
    assert.deepEqual(
      [await trustedBrowsers.revokeAll(mine.id), await trustedBrowsers.revokeAll(mine.id)],
      [1, 0],
    );
    assert.deepEqual([await counts(storage, second), await counts(storage, theirs)], [false, true]);
  });

  type Revocation = (storage: With<'trustedBrowsers'>, userId: string) => Promise<unknown>;
  const revocations: Record<string, Revocation> = {
    'a sign-out everywhere': ({ sessions }, id) => sessions.revokeAll(id, now),
    'a password change': ({ users }, userId) =>
      users.changePassword({ userId, epoch: 0, fromHash: 'old', passwordHash: 'new', now }),
    async 'a password reset'(storage, id) {
      const user = (await storage.users.findById(id)) ?? assert.fail('no user');
      assert.ok(await storage.users.resetPassword(resetOf(user, await storedReset(storage, user))));
    },
    'an account claim': ({ users }, id) => users.claim(id, now),
    'a new second factor': async (storage, id) => {
      const { totp } = storage;
      if (totp) await confirmedTotp({ ...storage, totp }, id);
      else await storage.sessions.revokeAll(id, now);
    },
    'a new passkey': async ({ credentials, sessions }, id) =>
      credentials ? credentials.insert(newCredential(id), 0) : sessions.revokeAll(id, now),
    'a change of address': async ({ accounts, sessions }, userId) => {
      const email = `${randomUUID()}@example.test`;
      return accounts
        ? accounts.changeEmail({ userId, epoch: 0, email, now })
        : sessions.revokeAll(userId, now);
    },
  };

  for (const [name, revocation] of Object.entries(revocations)) {
    test(`${name} ends every trusted browser`, async (storage) => {
      const { id } = await insertedUser(storage, {
        passwordHash: 'old',
        emailVerified: name === 'a password reset',
      });
      const browser = await trusted(storage, id);
      await revocation(storage, id);
      const { epoch } = (await storage.users.findById(id)) ?? assert.fail('no user');
      assert.deepEqual(await storage.trustedBrowsers.list(id, now), []);
      for (const each of [0, epoch]) assert.equal(await counts(storage, browser, each), false);
      assert.equal(await storage.trustedBrowsers.revoke(id, browser.id), false);
    });
  }

  test('removing a passkey ends every trusted browser', async (storage) => {
    const { credentials } = storage;
    if (!credentials) return;
    const { id } = await insertedUser(storage);
    const passkey = newCredential(id);
    await credentials.insert(passkey, 0);
    const browser = await trusted(storage, id);
    assert.equal(await credentials.remove(id, randomUUID()), false);
    assert.equal(await counts(storage, browser), true);
    assert.equal(await credentials.remove(id, passkey.id), true);
    assert.equal(await counts(storage, browser), false);
  });

  test('no trusted browser counts after a parallel sign-out everywhere', async (storage) => {
    await inParallel(10, async () => {
      const { id } = await insertedUser(storage);
      const browsers = Array.from({ length: 4 }, () => newBrowser(id));
      await Promise.all([
        ...browsers.slice(0, 2).map((browser) => storage.trustedBrowsers.insert(browser, [])),
        storage.sessions.revokeAll(id, now),
        ...browsers.slice(2).map((browser) => storage.trustedBrowsers.insert(browser, [])),
      ]);
      assert.deepEqual(await storage.trustedBrowsers.list(id, now), []);
      for (const browser of browsers) assert.equal(await counts(storage, browser, 1), false);
    });
  });

  test('only one of 50 parallel revocations of a browser succeeds', async (storage) => {
    const { id } = await insertedUser(storage);
    const browser = await trusted(storage, id);
    const results = await inParallel(50, () => storage.trustedBrowsers.revoke(id, browser.id));
    assert.equal(results.filter(Boolean).length, 1);
  });

  test('the purge removes expired trusted browsers', async (storage) => {
    const { id } = await insertedUser(storage);
    const kept = await trusted(storage, id, { expiresAt: after(120_000) });
    await trusted(storage, id);
    assert.ok(((await storage.purgeExpired({ now: after(60_000) }))['trustedBrowsers'] ?? 0) >= 1);
    assert.deepEqual(await storage.trustedBrowsers.list(id, now), [listed(kept)]);
  });

  test('a result is a copy', async (storage) => {
    const { id } = await insertedUser(storage);
    const browser = await trusted(storage, id);
    const [first] = await storage.trustedBrowsers.list(id, now);
    Object.assign(first ?? {}, { epoch: 7, userId: randomUUID() });
    assert.deepEqual(await storage.trustedBrowsers.list(id, now), [listed(browser)]);
  });
}
