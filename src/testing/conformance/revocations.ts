import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../domain/user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { NewUser } from '../../storage/repositories.js';
import {
  after,
  inParallel,
  insertedUser,
  newIdentity,
  newSession,
  now,
  type Promises,
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
  assert.equal(await storage.identities.link(identity), true);
  const subject = user.email ?? '';
  const code = await storedCode(storage, { subject });
  const link = await storedToken(storage, { subject });
  const reset = await storedToken(storage, { purpose: 'password_reset', subject: user.id });
  return { user, session, identity, code, link, reset };
}

type Equipment = Awaited<ReturnType<typeof equippedUser>>;

/** What is left of a user's things, by name. */
async function remains(storage: StorageAdapter, { user, session, code, link, reset }: Equipment) {
  const found = await storage.sessions.findWithUser(session.id);
  const attempt = await storage.oneTimeCodes.reserveAttempt(code.purpose, code.subject, 99, now);
  return {
    session: found !== null && found.session.revokedAt === null,
    identities: (await storage.identities.listForUser(user.id)).length,
    code: attempt.status !== 'missing',
    link: (await storage.singleUseTokens.consume('magic_link', link.digest, now)) !== null,
    reset: (await storage.singleUseTokens.consume('password_reset', reset.digest, now)) !== null,
  };
}

const everything = { session: true, identities: 1, code: true, link: true, reset: true };
const nothing = { session: false, identities: 0, code: false, link: false, reset: false };

function claimed(user: StoredUser, at: Date): StoredUser {
  const { epoch } = user;
  const common = { emailVerified: true, epoch: epoch + 1, sessionsValidAfter: at, updatedAt: at };
  return { ...user, passwordHash: null, ...common };
}

export function revocationPromises(promise: Promises): void {
  promise(
    'claim removes password, sessions, identities and pending secrets of that user alone',
    async (storage) => {
      const mine = await equippedUser(storage);
      const other = await equippedUser(storage);
      const expected = claimed(mine.user, after(5));
      assert.deepEqual(await storage.users.claim(mine.user.id, after(5)), expected);
      assert.deepEqual(await storage.users.findById(mine.user.id), expected);
      assert.deepEqual(await remains(storage, mine), nothing);
      assert.equal(await storage.sessions.findWithUser(mine.session.id), null);
      assert.deepEqual(await storage.users.findById(other.user.id), other.user);
      assert.deepEqual(await remains(storage, other), everything);
    },
  );

  promise('claim of a verified or unknown user is null and changes nothing', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    assert.equal(await storage.users.claim(mine.user.id, after(5)), null);
    assert.equal(await storage.users.claim(randomUUID(), now), null);
    assert.deepEqual(await storage.users.findById(mine.user.id), mine.user);
    assert.deepEqual(await remains(storage, mine), everything);
  });

  promise('of 50 parallel claims one acts', async (storage) => {
    const { user } = await equippedUser(storage);
    const answers = await inParallel(50, () => storage.users.claim(user.id, after(5)));
    assert.equal(winners(answers), 1);
    assert.deepEqual(await storage.users.findById(user.id), claimed(user, after(5)));
  });

  promise('resetPassword of a verified user keeps the identities and ends the rest', async (storage) => {
    const mine = await equippedUser(storage, { emailVerified: true });
    const other = await equippedUser(storage);
    const wish = { tokenDigest: mine.reset.digest, userId: mine.user.id, passwordHash: 'new', now: after(5) };
    const expected = { ...claimed(mine.user, after(5)), passwordHash: 'new' };
    assert.deepEqual(await storage.users.resetPassword(wish), { user: expected, claimed: false });
    assert.deepEqual(await storage.users.findById(mine.user.id), expected);
    assert.deepEqual(await remains(storage, mine), { ...nothing, identities: 1 });
    assert.deepEqual(await remains(storage, other), everything);
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
      assert.deepEqual(await remains(storage, owner), everything);
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
    assert.deepEqual(await remains(storage, mine), { ...everything, session: false });
    assert.deepEqual(await remains(storage, other), everything);
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
        const reset = await storedToken(storage, { purpose: 'password_reset', subject: user.id });
        const sessions = Array.from({ length: 10 }, () => newSession(user.id));
        const end = () => {
          const wish = { tokenDigest: reset.digest, userId: user.id, passwordHash: 'new', now };
          if (verb === 'resetPassword') return storage.users.resetPassword(wish);
          return verb === 'claim'
            ? storage.users.claim(user.id, now)
            : storage.sessions.revokeAll(user.id, now);
        };
        const starts = (some: typeof sessions) => some.map((session) => storage.sessions.start(session, 0));
        await Promise.all([...starts(sessions.slice(0, 5)), end(), ...starts(sessions.slice(5))]);
        assert.deepEqual(await storage.sessions.listLive(user.id, now), []);
      });
    });
  }
}
