import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { parseUsername, type Username } from '../../src/domain/username.js';
import type { AdministeredUser } from '../../src/domain/user-record.js';
import type {
  NewAdministeredUser,
  SearchRange,
  UserFilter,
  UserSearch,
} from '../../src/storage/user-administration-repository.js';
import { insertedGuest } from './pro-records.js';
import {
  after,
  asStored,
  inParallel,
  newIdentity,
  newUser,
  now,
  type RegisterConformanceTest,
  startedSession,
  tally,
  testsRequiring,
  type With,
} from './suite.js';

/** Returns a user name that no other user has. */
export function uniqueUsername(prefix = 'Ada'): Username {
  return parseUsername(`${prefix}-${randomUUID().slice(0, 13)}`);
}

export function newAdministered(overrides: Partial<NewAdministeredUser> = {}): NewAdministeredUser {
  return { ...newUser(), username: null, roles: [], ...overrides };
}

export async function insertedAdministered(
  storage: With<'userAdministration'>,
  overrides: Partial<NewAdministeredUser> = {},
): Promise<AdministeredUser> {
  const { username, roles, ...user } = newAdministered(overrides);
  assert.equal(await storage.userAdministration.insert({ ...user, username, roles }), 'inserted');
  const name = username?.name ?? null;
  return { ...asStored(user), roles: [...roles], username: name, isGuest: false, lastSignInAt: null };
}

export function describeUserLists(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'userAdministration');

  test('find returns a user by id, address, user name or identity, as inserted', async (storage) => {
    const username = uniqueUsername();
    const user = await insertedAdministered(storage, {
      username,
      roles: ['admin', 'support'],
      emailVerified: true,
    });
    const identity = newIdentity(user.id);
    assert.equal(await storage.identities.link(identity, 0), true);
    const { provider, providerAccountId } = identity;
    const lookups = [{ id: user.id }, { email: user.email ?? '' }, { usernameKey: username.key }];
    for (const lookup of [...lookups, { provider, providerAccountId }]) {
      assert.deepEqual(await storage.userAdministration.find(lookup), user);
    }
    for (const text of [randomUUID(), 'x', '', 'nul\0', '\ud800', username.name]) {
      assert.equal(await storage.userAdministration.find({ id: text }), null);
      assert.equal(await storage.userAdministration.find({ email: text }), null);
      assert.equal(await storage.userAdministration.find({ usernameKey: text }), null);
      assert.equal(await storage.userAdministration.find({ provider: text, providerAccountId: text }), null);
    }
  });

  test('the roles of a user are read with every look-up of the user', async (storage) => {
    const { id } = await insertedAdministered(storage, { roles: ['support'] });
    const session = await startedSession(storage, id);
    assert.deepEqual((await storage.users.findById(id))?.roles, ['support']);
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.user.roles, ['support']);
  });

  test('insert refuses an address and a user name that are taken, without regard to case', async (storage) => {
    const username = uniqueUsername('Grace');
    const user = await insertedAdministered(storage, { username });
    const upperCase = parseUsername(username.name.toUpperCase());
    assert.equal(
      await storage.userAdministration.insert(newAdministered({ email: user.email })),
      'email_taken',
    );
    assert.equal(
      await storage.userAdministration.insert(newAdministered({ username: upperCase })),
      'username_taken',
    );
    const another = uniqueUsername('Grace');
    const outcomes = await inParallel(50, () =>
      storage.userAdministration.insert(newAdministered({ username: another })),
    );
    assert.deepEqual(tally(outcomes), { inserted: 1, username_taken: 49 });
  });

  test('a user name can be used again after its user was deleted', async (storage) => {
    const username = uniqueUsername();
    const { id } = await insertedAdministered(storage, { username });
    if (!storage.accounts) return;
    await storage.accounts.deleteUser(id, async () => undefined);
    assert.equal(await storage.userAdministration.find({ usernameKey: username.key }), null);
    await insertedAdministered(storage, { username });
  });

  test('start sets the time of the last sign-in, which never moves back', async (storage) => {
    const { id } = await insertedAdministered(storage);
    const lastSignIn = async () => (await storage.userAdministration.find({ id }))?.lastSignInAt;
    await startedSession(storage, id, { createdAt: after(5) });
    assert.deepEqual(await lastSignIn(), after(5));
    await startedSession(storage, id, { createdAt: after(3) });
    assert.deepEqual(await lastSignIn(), after(5));
    assert.deepEqual((await storage.users.findById(id))?.updatedAt, now);
  });

  test('list returns users in both orders, page by page, each exactly once', async (storage) => {
    const createdAfter = after(1_000_000_000);
    // Three users of each time, so that pages end between users of the same time.
    const users = await inParallel(9, (index) =>
      insertedAdministered(storage, { createdAt: after(1_000_000_000 + (index % 3)) }),
    );
    const filter = { now, createdAfter, createdBefore: after(1_000_000_100) };
    const expected = users
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
    for (const order of ['oldest', 'newest'] as const) {
      const ids: string[] = [];
      for (let last: AdministeredUser | undefined; ;) {
        const page = await storage.userAdministration.list(filter, order, { after: last, limit: 4 });
        ids.push(...page.map(({ id }) => id));
        last = page.at(-1);
        if (page.length < 4) break;
      }
      assert.deepEqual(ids, order === 'oldest' ? expected : [...expected].reverse());
    }
    const reversed = [...expected].reverse();
    // Positions outside of the window, on either side.
    for (const [order, ms, ids] of [
      ['newest', 3_000_000_000, reversed],
      ['newest', 1_000_000_100, reversed],
      ['newest', 999_999_999, []],
      ['oldest', 999_999_999, expected],
      ['oldest', 1_000_000_100, []],
    ] as const) {
      const position = { createdAt: after(ms), id: randomUUID() };
      const users = await storage.userAdministration.list(filter, order, { after: position, limit: 20 });
      assert.deepEqual([order, ms, users.map(({ id }) => id)], [order, ms, ids]);
    }
    assert.equal(await storage.userAdministration.count(filter, 100), 9);
    assert.equal(await storage.userAdministration.count(filter, 5), 5);
  });

  testsRequiring(
    register,
    'userAdministration',
    'guests',
  )('list and count return the users who match every condition', async (storage) => {
    const { userAdministration } = storage;
    const name = uniqueUsername('List');
    const role = `role-${randomUUID()}`;
    const at = after(2_000_000_000);
    const window = { createdAfter: at, createdBefore: after(2_000_000_001) };
    const add = (overrides: Partial<NewAdministeredUser>) =>
      insertedAdministered(storage, { createdAt: at, ...overrides });
    const byAddress = await add({ email: `${randomUUID()}@example.test`, emailVerified: true });
    const byName = await add({ username: name, roles: [role, 'other'], emailVerified: true });
    const other = await add({ roles: ['other'] });
    const blocked = await add({ roles: [role] });
    await userAdministration.block(blocked.id, { at, until: after(2_000_000_500), reason: null });
    const guest = await insertedGuest(storage, { createdAt: at });
    const all = [byAddress, byName, other, blocked, guest];
    const cases: [Partial<UserFilter>, { id: string }[]][] = [
      [{}, all],
      [{ id: other.id }, [other]],
      [{ id: randomUUID() }, []],
      [{ id: 'x' }, []],
      [{ role }, [byName, blocked]],
      [{ role: 'nul\0' }, []],
      [{ role, blocked: false }, [byName]],
      [{ verified: true }, [byAddress, byName]],
      [{ verified: false }, [other, blocked, guest]],
      [{ guest: true }, [guest]],
      [{ guest: false }, [byAddress, byName, other, blocked]],
      [{ blocked: true }, [blocked]],
      [{ blocked: true, now: after(2_000_000_500) }, []],
      [{ blocked: false, now: after(2_000_000_500) }, all],
      [{ createdAfter: after(2_000_000_001) }, []],
      [{ createdBefore: at }, []],
    ];
    for (const [condition, expected] of cases) {
      const filter = { now: after(2_000_000_400), ...window, ...condition };
      const listed = await userAdministration.list(filter, 'oldest', { limit: 200 });
      const ids = expected.map(({ id }) => id).sort();
      assert.deepEqual(
        [condition, listed.map(({ id }) => id).sort(), await userAdministration.count(filter, 100)],
        [condition, ids, ids.length],
      );
    }
    assert.equal((await userAdministration.find({ id: guest.id }))?.isGuest, true);
  });

  test('list and count find a text anywhere in the address or the user name', async (storage) => {
    const { userAdministration } = storage;
    const text = `u${randomUUID().slice(0, 13)}`;
    const add = (overrides: Partial<NewAdministeredUser>) => insertedAdministered(storage, overrides);
    const first = await add({ email: `${text}@example.test` });
    const inside = await add({ email: `other.${text}.x@example.test`, emailVerified: true });
    const named = await add({ username: parseUsername(`A-${text.toUpperCase()}-b`), email: null });
    await add({ email: `other-${randomUUID()}@example.test` });
    const filter = { now: after(0), contained: text };
    const idsOf = async (condition: Partial<UserFilter>, limit = 100) => {
      const users = await userAdministration.list({ ...filter, ...condition }, 'newest', { limit });
      return users.map(({ id }) => id).sort();
    };
    assert.deepEqual(await idsOf({}), [first.id, inside.id, named.id].sort());
    assert.deepEqual(await idsOf({ verified: true }), [inside.id]);
    assert.equal((await idsOf({}, 2)).length, 2);
    assert.equal(await userAdministration.count(filter, 100), 3);
    assert.equal(await userAdministration.count(filter, 2), 2);
    for (const contained of [`${text.slice(0, -1)}_`, `${text}%`, '%', '\\', '\ud800', 'nul\0', ' '])
      assert.deepEqual([contained, await idsOf({ contained })], [contained, []]);
    assert.equal(typeof ((await userAdministration.hasWordIndex?.()) ?? false), 'boolean');
  });

  test('search and count find users by the beginning of the address or the user name, in the order of what matches', async (storage) => {
    const { userAdministration } = storage;
    const prefix = `u${randomUUID().slice(0, 13)}`;
    const names = Object.fromEntries(
      ['b', 'd', 'f'].map((letter) => [letter, parseUsername(`${prefix.toUpperCase()}${letter}`)]),
    );
    const add = (overrides: Partial<NewAdministeredUser>) => insertedAdministered(storage, overrides);
    const email = (local: string) => ({ email: `${prefix}${local}@example.test` });
    const c = await add({ ...email('c'), emailVerified: true });
    const b = await add({ username: names['b'] ?? null });
    const hyphen = await add({ ...email('-c') });
    const a = await add({ ...email('a'), username: names['f'] ?? null });
    const d = await add({ username: names['d'] ?? null, email: `other-${randomUUID()}@example.test` });
    await add({ email: `other-${prefix}@example.test` });
    // By bytes, as the index: a hyphen comes before letters. The address comes before the user name of the same user.
    const found = [hyphen, a, b, c, d];
    const now = after(0);
    const search = async (searched: Partial<UserSearch>, range: Partial<SearchRange> = {}) => {
      const users = await userAdministration.search({ now, prefix, ...searched }, { limit: 100, ...range });
      return users.map(({ id }) => id);
    };
    const ids = (users: { id: string }[]) => users.map(({ id }) => id);
    assert.deepEqual(await search({}), ids(found));
    assert.deepEqual(await search({}, { limit: 2 }), ids([hyphen, a]));
    assert.deepEqual(await search({}, { limit: 2, after: `${prefix}a@example.test` }), ids([b, c]));
    // The position may be anywhere between two users.
    assert.deepEqual(await search({}, { after: `${prefix}c` }), ids([c, d]));
    assert.deepEqual(await search({ verified: true }), ids([c]));
    assert.equal(await userAdministration.count({ now, prefix }, 100), 5);
    assert.equal(await userAdministration.count({ now, prefix }, 3), 3);
    assert.equal(await userAdministration.count({ now, prefix, verified: false }, 100), 4);
    for (const unmatched of [`${prefix.slice(0, -1)}_`, `${prefix}%`, '%', '\\', '\ud800', 'nul\0', ' ']) {
      assert.deepEqual([unmatched, await search({ prefix: unmatched })], [unmatched, []]);
      assert.equal(await userAdministration.count({ now, prefix: unmatched }, 100), 0);
    }
  });
}
