import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../src/domain/user.js';
import { equippedUser, everything, nothing, remains } from './equipment.js';
import { malformedIds } from './malformed-ids.js';
import { insertedGuest, newUpgrade } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  storedCode,
  storedToken,
  tally,
  guessedStatus,
} from './suite.js';

export function describeEmailChanges(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'accounts');
  const address = () => `${randomUUID()}@example.test`;
  const changeOf = ({ id: userId, epoch }: StoredUser, email: string) => ({
    userId,
    epoch,
    email,
    now: after(5),
  });

  test('changeEmail sets a verified address, ends sessions, removes pending secrets, and keeps the rest', async (storage) => {
    for (const emailVerified of [true, false]) {
      const mine = await equippedUser(storage, { emailVerified });
      const other = await equippedUser(storage);
      const email = address();
      const { id, epoch } = mine.user;
      const times = { epoch: epoch + 1, sessionsValidAfter: after(5), updatedAt: after(5) };
      const user = { ...mine.user, email, emailVerified: true, ...times };
      const outcome = await storage.accounts.changeEmail(changeOf(mine.user, email));
      assert.deepEqual(outcome, { status: 'changed', user });
      assert.deepEqual(await storage.users.findById(id), user);
      assert.deepEqual(await storage.users.findByEmail(email), user);
      assert.equal(await storage.users.findByEmail(mine.user.email ?? ''), null);
      const { identities, key, secret, recoveryCodes, passkeys } = everything(storage);
      const kept = { identities, key, secret, recoveryCodes, passkeys };
      // Codes, links and resets of an unverified address stay; a code that names the user becomes
      // invalid.
      const stays = { codes: [true, false, false, false, true], tokens: [true, true, false, false] };
      assert.deepEqual(await remains(storage, mine), { ...nothing, ...kept, ...(!emailVerified && stays) });
      assert.deepEqual(await storage.users.findById(other.user.id), other.user);
      assert.deepEqual(await remains(storage, other), everything(storage));
    }
  });

  test('changeEmail also removes pending codes and links of the new address', async (storage) => {
    const user = await insertedUser(storage);
    const subject = address();
    const { digest } = await storedToken(storage, { subject });
    const code = await storedCode(storage, { subject });
    await storage.accounts.changeEmail(changeOf(user, subject));
    assert.equal(await storage.singleUseTokens.consume('magic_link', digest, now), null);
    assert.equal(await guessedStatus(storage, code), 'missing');
  });

  test('changeEmail sets the address of a user without one, and frees the previous address', async (storage) => {
    const first = await insertedUser(storage, { email: null });
    const [one, two] = [address(), address()];
    await storage.accounts.changeEmail(changeOf(first, one));
    await storage.accounts.changeEmail({ ...changeOf(first, two), epoch: 1 });
    assert.equal(await storage.users.insert(newUser({ email: two })), false);
    assert.equal(await storage.users.insert(newUser({ email: one })), true);
  });

  test('changeEmail returns the reason for a refusal and changes nothing', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    const other = await insertedUser(storage);
    const email = address();
    const statusOf = async (overrides: object) =>
      (await storage.accounts.changeEmail({ ...changeOf(mine.user, email), ...overrides })).status;
    assert.equal(await statusOf({ userId: randomUUID() }), 'no_user');
    assert.equal(await statusOf({ epoch: mine.user.epoch + 1, email: other.email }), 'epoch_moved');
    assert.equal(await statusOf({ email: other.email }), 'email_taken');
    assert.equal(await statusOf({ email: mine.user.email }), 'email_taken');
    assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
    assert.deepEqual(await storage.users.findById(other.id), other);
    assert.equal(await storage.users.findByEmail(email), null);
    assert.deepEqual(await remains(storage, mine), everything(storage));
  });

  test('changeEmail returns no_user for a malformed id', async (storage) => {
    for (const id of malformedIds) {
      const outcome = await storage.accounts.changeEmail({ userId: id, epoch: 0, email: address(), now });
      assert.deepEqual(outcome, { status: 'no_user' });
    }
  });

  testsRequiring(
    register,
    'accounts',
    'guests',
  )('changeEmail returns guest for a guest', async (storage) => {
    const guest = await insertedGuest(storage);
    const outcome = await storage.accounts.changeEmail(changeOf(guest, address()));
    assert.deepEqual(outcome, { status: 'guest' });
    assert.deepEqual(await storage.users.findById(guest.id), guest);
    assert.equal(await storage.guests.isGuest(guest.id), true);
  });

  test('only one of 50 parallel address changes of a user succeeds', async (storage) => {
    const user = await insertedUser(storage);
    const results = await inParallel(50, () => storage.accounts.changeEmail(changeOf(user, address())));
    assert.deepEqual(tally(results.map(({ status }) => status)), { changed: 1, epoch_moved: 49 });
    assert.equal((await storage.users.findById(user.id))?.epoch, 1);
    assert.equal(await storage.users.findByEmail(user.email ?? ''), null);
  });

  testsRequiring(
    register,
    'accounts',
    'guests',
  )(
    'only one of 30 users, new users and guests gets an address that all request in parallel',
    async (storage) => {
      const email = address();
      const users = await inParallel(10, () => insertedUser(storage));
      const guests = await inParallel(10, () => insertedGuest(storage));
      const results = await inParallel(30, async (index) => {
        const [user, guest] = [users[index], guests[index - 10]];
        if (user) return (await storage.accounts.changeEmail(changeOf(user, email))).status;
        if (guest)
          return (await storage.guests.upgrade(newUpgrade(guest.id, { identity: null, email }))).status;
        return (await storage.users.insert(newUser({ email }))) ? 'inserted' : 'email_taken';
      });
      assert.equal(results.filter((result) => result === 'email_taken').length, 29);
      assert.ok(await storage.users.findByEmail(email));
      const moved = await inParallel(10, (index) => storage.users.findById(users[index]?.id ?? ''));
      const losers = moved.filter((user) => user?.email !== email);
      for (const user of losers) assert.deepEqual([user?.epoch, user?.emailVerified], [0, false]);
    },
  );

  test('two users who swap their addresses in parallel do not deadlock', async (storage) => {
    await inParallel(10, async () => {
      const [one, two] = [await insertedUser(storage), await insertedUser(storage)];
      const results = await Promise.all([
        storage.accounts.changeEmail(changeOf(one, two.email ?? '')),
        storage.accounts.changeEmail(changeOf(two, one.email ?? '')),
      ]);
      assert.deepEqual(tally(results.map(({ status }) => status)), { email_taken: 2 });
    });
  });
}
