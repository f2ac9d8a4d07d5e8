import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { NewUser } from '../../storage/repositories.js';
import { insertedApiKey, insertedFamily, newFamily } from './pro-records.js';
import {
  after,
  hasCapabilities,
  inParallel,
  insertedUser,
  newIdentity,
  newSession,
  now,
  type Promises,
  promisesOf,
  startedSession,
  storedCode,
  storedToken,
  winners,
} from './suite.js';

/** A user with one of everything that a claim or a reset takes away. */
async function equippedUser(storage: StorageAdapter, overrides: Partial<NewUser> = {}) {
  const user = await insertedUser(storage, { passwordHash: 'old', ...overrides });
  const session = await startedSession(storage, user.id);
  const identity = newIdentity(user.id);
  assert.equal(await storage.identities.link(identity, 0), true);
  const subject = user.email ?? '';
  const code = await storedCode(storage, { subject });
  const link = await storedToken(storage, { subject });
  const reset = await storedToken(storage, { purpose: 'password_reset', subject: user.id });
  const family = hasCapabilities(storage, ['refreshFamilies']) && (await insertedFamily(storage, user.id));
  const key = hasCapabilities(storage, ['apiKeys']) && (await insertedApiKey(storage, { userId: user.id }));
  return { user, session, identity, code, link, reset, family, key };
}

type Equipment = Awaited<ReturnType<typeof equippedUser>>;

/** What is left of a user's things, by name. */
async function remains(storage: StorageAdapter, equipment: Equipment) {
  const { user, session, code, link, reset, family, key } = equipment;
  const found = await storage.sessions.findWithUser(session.id);
  const attempt = await storage.oneTimeCodes.reserveAttempt(code.purpose, code.subject, 99, now);
  return {
    session: found !== null && found.session.revokedAt === null,
    identities: (await storage.identities.listForUser(user.id)).length,
    code: attempt.status !== 'missing',
    link: (await storage.singleUseTokens.consume('magic_link', link.digest, now)) !== null,
    reset: (await storage.singleUseTokens.consume('password_reset', reset.digest, now)) !== null,
    family: family && (await isLive(storage, family.id, family.counter)),
    key: key && (await storage.apiKeys?.findById(key.id)) !== null,
  };
}

async function isLive(storage: StorageAdapter, familyId: string, counter: number): Promise<boolean> {
  // A rotation without grace of the live counter: what it answers is what a client would get.
  const outcome = await storage.refreshFamilies?.rotate({ familyId, counter, graceMs: 0, now });
  return outcome?.status === 'rotated';
}

/** What a user has, where the adapter has what it takes. */
function everything({ family, key }: Equipment) {
  const both = { family: family !== false, key: key !== false };
  return { session: true, identities: 1, code: true, link: true, reset: true, ...both };
}

const nothing = {
  session: false,
  identities: 0,
  code: false,
  link: false,
  reset: false,
  family: false,
  key: false,
};

function claimed(user: StoredUser, at: Date): StoredUser {
  const { epoch } = user;
  const common = { emailVerified: true, epoch: epoch + 1, sessionsValidAfter: at, updatedAt: at };
  return { ...user, passwordHash: null, ...common };
}

export function revocationPromises(promise: Promises): void {
  promise(
    'claim removes password, sessions, identities, families, keys and pending secrets of that user alone',
    async (storage) => {
      const mine = await equippedUser(storage);
      const other = await equippedUser(storage);
      const expected = claimed(mine.user, after(5));
      assert.deepEqual(await storage.users.claim(mine.user.id, after(5)), expected);
      assert.deepEqual(await storage.users.findById(mine.user.id), expected);
      assert.deepEqual(await remains(storage, mine), nothing);
      assert.equal(await storage.sessions.findWithUser(mine.session.id), null);
      assert.deepEqual((await storage.refreshFamilies?.listForUser(mine.user.id)) ?? [], []);
      assert.deepEqual(await storage.users.findById(other.user.id), other.user);
      assert.deepEqual(await remains(storage, other), everything(other));
    },
  );

  promise('claim of a verified or unknown user is null and changes nothing', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    assert.equal(await storage.users.claim(mine.user.id, after(5)), null);
    assert.equal(await storage.users.claim(randomUUID(), now), null);
    assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
    assert.deepEqual(await remains(storage, mine), everything(mine));
  });

  promise('of 50 parallel claims one acts', async (storage) => {
    const { user } = await equippedUser(storage);
    const answers = await inParallel(50, () => storage.users.claim(user.id, after(5)));
    assert.equal(winners(answers), 1);
    assert.deepEqual(await storage.users.findById(user.id), claimed(user, after(5)));
  });

  promise('resetPassword of a verified user keeps identities and keys and ends the rest', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    const other = await equippedUser(storage);
    const wish = { tokenDigest: mine.reset.digest, userId: mine.user.id, passwordHash: 'new', now: after(5) };
    const expected = { ...claimed(mine.user, after(5)), passwordHash: 'new' };
    assert.deepEqual(await storage.users.resetPassword(wish), { user: expected, claimed: false });
    assert.deepEqual(await storage.users.findById(mine.user.id), expected);
    const { key } = everything(mine);
    assert.deepEqual(await remains(storage, mine), { ...nothing, identities: 1, key });
    assert.deepEqual(await remains(storage, other), everything(other));
    assert.equal(await storage.users.resetPassword(wish), null);
  });

  promise('resetPassword of an unverified user is a claim as well', async (storage) => {
    const mine = await equippedUser(storage);
    const wish = { tokenDigest: mine.reset.digest, userId: mine.user.id, passwordHash: 'new', now: after(5) };
    const expected = { ...claimed(mine.user, after(5)), passwordHash: 'new' };
    assert.deepEqual(await storage.users.resetPassword(wish), { user: expected, claimed: true });
    assert.deepEqual(await remains(storage, mine), nothing);
  });

  promise('resetPassword without a live reset token of that user changes nothing', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    const other = await equippedUser(storage, { emailVerified: true });
    const wish = { userId: mine.user.id, passwordHash: 'new', now };
    const refused = [
      { ...wish, tokenDigest: 'unknown' },
      { ...wish, tokenDigest: mine.link.digest },
      { ...wish, tokenDigest: other.reset.digest },
      { ...wish, tokenDigest: mine.reset.digest, userId: other.user.id },
      { ...wish, tokenDigest: mine.reset.digest, userId: randomUUID() },
      { ...wish, tokenDigest: mine.reset.digest, now: mine.reset.expiresAt },
    ];
    for (const reset of refused) assert.equal(await storage.users.resetPassword(reset), null);
    for (const owner of [mine, other]) {
      assert.deepEqual(await storage.users.findById(owner.user.id), owner.user);
      assert.deepEqual(await remains(storage, owner), everything(owner));
    }
  });

  promise('of 50 parallel resets one wins, even with different tokens', async (storage) => {
    for (const tokens of [1, 50]) {
      const user = await insertedUser(storage, { emailVerified: true });
      const resets = await inParallel(tokens, () =>
        storedToken(storage, { purpose: 'password_reset', subject: user.id }),
      );
      const answers = await inParallel(50, (index) => {
        const tokenDigest = resets[index % tokens]?.digest ?? '';
        return storage.users.resetPassword({ tokenDigest, userId: user.id, passwordHash: `${index}`, now });
      });
      assert.equal(winners(answers), 1);
      const after50 = await storage.users.findById(user.id);
      assert.equal(after50?.epoch, 1);
      assert.equal(after50.passwordHash, String(answers.findIndex((answer) => answer !== null)));
    }
  });

  promise('revokeAll ends the sessions of that user alone and bumps the epoch', async (storage) => {
    const mine = await equippedUser(storage);
    const other = await equippedUser(storage);
    assert.equal(await storage.sessions.revokeAll(mine.user.id, after(5)), true);
    const { epoch, sessionsValidAfter, passwordHash } = (await storage.users.findById(mine.user.id)) ?? {};
    assert.deepEqual([epoch, sessionsValidAfter, passwordHash], [1, after(5), 'old']);
    assert.deepEqual(await remains(storage, mine), { ...everything(mine), session: false, family: false });
    assert.deepEqual(await remains(storage, other), everything(other));
    assert.equal(await storage.sessions.revokeAll(randomUUID(), now), false);
  });

  promise('revokeAll keeps the time at which a session was revoked before', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id);
    await storage.sessions.revoke(session.id, after(1));
    await storage.sessions.revokeAll(user.id, after(5));
    assert.deepEqual((await storage.sessions.findWithUser(session.id))?.session.revokedAt, after(1));
  });

  promise('sessionsValidAfter never goes back', async (storage) => {
    const user = await insertedUser(storage);
    await storage.sessions.revokeAll(user.id, after(5));
    await storage.sessions.revokeAll(user.id, after(2));
    const { epoch, sessionsValidAfter } = (await storage.users.findById(user.id)) ?? {};
    assert.deepEqual([epoch, sessionsValidAfter], [2, after(5)]);
  });

  promise('50 parallel revocations bump the epoch 50 times', async (storage) => {
    const user = await insertedUser(storage);
    await inParallel(50, () => storage.sessions.revokeAll(user.id, now));
    assert.equal((await storage.users.findById(user.id))?.epoch, 50);
  });

  for (const verb of ['revokeAll', 'claim', 'resetPassword'] as const) {
    promise(`no session start slips past a ${verb} that races it`, async (storage) => {
      await inParallel(10, async () => {
        const user = await insertedUser(storage);
        const sessions = Array.from({ length: 10 }, () => newSession(user.id));
        const starts = (some: typeof sessions) => some.map((session) => storage.sessions.start(session, 0));
        const end = await endingBy(storage, verb, user);
        await Promise.all([...starts(sessions.slice(0, 5)), end(), ...starts(sessions.slice(5))]);
        assert.deepEqual(await storage.sessions.listLive(user.id, now), []);
      });
    });

    promisesOf(promise, 'refreshFamilies')(
      `no refresh family slips past a ${verb} that races it, nor does a rotation`,
      async (storage) => {
        await inParallel(10, async () => {
          const user = await insertedUser(storage);
          const old = await insertedFamily(storage, user.id);
          const families = Array.from({ length: 8 }, () => newFamily(user.id));
          const insert = (family: (typeof families)[number]) => storage.refreshFamilies.insert(family);
          const rotate = () =>
            storage.refreshFamilies.rotate({ familyId: old.id, counter: 0, graceMs: 9, now });
          const end = await endingBy(storage, verb, user);
          const racing = [rotate(), ...families.slice(0, 4).map(insert), end()];
          await Promise.all([...racing, ...families.slice(4).map(insert), rotate()]);
          for (const { id } of [old, ...families]) {
            for (const counter of [0, 1]) assert.equal(await isLive(storage, id, counter), false);
          }
        });
      },
    );
  }
}

/** A call that ends every session of the user. */
async function endingBy(
  storage: StorageAdapter,
  verb: 'revokeAll' | 'claim' | 'resetPassword',
  { id: userId }: StoredUser,
): Promise<() => Promise<unknown>> {
  if (verb === 'revokeAll') return () => storage.sessions.revokeAll(userId, now);
  if (verb === 'claim') return () => storage.users.claim(userId, now);
  const { digest } = await storedToken(storage, { purpose: 'password_reset', subject: userId });
  return () => storage.users.resetPassword({ tokenDigest: digest, userId, passwordHash: 'new', now });
}
