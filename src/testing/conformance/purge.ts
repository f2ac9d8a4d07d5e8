import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CodePurpose } from '../../domain/one-time-code.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { linkedPhone } from './equipment.js';
import {
  createdOrg,
  insertedApiKey,
  insertedFamily,
  insertedGuest,
  newCredential,
  newFamily,
  storedInvite,
} from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  newIdentity,
  now,
  type Promises,
  promisesOf,
  startedSession,
  storedCode,
  storedToken,
} from './suite.js';

const day = 24 * 60 * 60 * 1000;

export function purgePromises(promise: Promises): void {
  promise('purgeExpired removes what is dead and nothing else', async (storage) => {
    const user = await insertedUser(storage);
    const live = await startedSession(storage, user.id, { expiresAt: after(11) });
    const expired = await startedSession(storage, user.id, { expiresAt: after(10) });
    const revoked = await startedSession(storage, user.id);
    await storage.sessions.revoke(revoked.id, now);
    const liveToken = await storedToken(storage, { expiresAt: after(11) });
    const deadToken = await storedToken(storage, { expiresAt: after(10) });
    const keptCode = await storedCode(storage, { expiresAt: after(11 - day) });
    const oldCode = await storedCode(storage, { expiresAt: after(10 - day) });
    const [liveKey, deadKey] = [randomUUID(), randomUUID()];
    const hits = [
      { key: liveKey, windowMs: 11 },
      { key: deadKey, windowMs: 10 },
    ];
    await storage.rateLimits.hit(hits, now.getTime());

    const counts = await storage.purgeExpired({ now: after(10) });

    for (const table of ['sessions', 'singleUseTokens', 'oneTimeCodes', 'rateLimits']) {
      assert.ok((counts[table] ?? 0) >= 1);
    }
    assert.deepEqual(await storage.sessions.findWithUser(live.id), { session: live, user });
    assert.equal(await storage.sessions.findWithUser(expired.id), null);
    assert.equal(await storage.sessions.findWithUser(revoked.id), null);
    assert.ok(await storage.singleUseTokens.consume('magic_link', liveToken.digest, now));
    assert.equal(await storage.singleUseTokens.consume('magic_link', deadToken.digest, now), null);
    assert.equal(await codeStatus(storage, keptCode.subject), 'expired');
    assert.equal(await codeStatus(storage, oldCode.subject), 'missing');
    const after10 = await storage.rateLimits.hit(hits, now.getTime());
    assert.deepEqual(
      after10.map(({ count }) => count),
      [2, 1],
    );
  });

  promise('purgeExpired reports the rows removed by table', async (storage) => {
    await storage.purgeExpired({ now: after(10) });
    await storedToken(storage, { expiresAt: now });
    await storedToken(storage, { expiresAt: now });
    const counts = await storage.purgeExpired({ now: after(10) });
    const none = Object.fromEntries(tablesOf(storage).map((table) => [table, 0]));
    assert.deepEqual(counts, { ...none, singleUseTokens: 2 });
  });

  promise('purgeExpired removes at most limit rows per table', async (storage) => {
    await storage.purgeExpired({ now: after(10) });
    await inParallel(5, () => storedToken(storage, { expiresAt: now }));
    await inParallel(2, () => storedCode(storage, { expiresAt: after(-day) }));
    const purge = async (limit?: number) => {
      const { singleUseTokens, oneTimeCodes } = await storage.purgeExpired({ now: after(10), limit });
      return [singleUseTokens, oneTimeCodes];
    };
    assert.deepEqual(await purge(0), [0, 0]);
    assert.deepEqual(await purge(3), [3, 2]);
    assert.deepEqual(await purge(), [2, 0]);
  });

  promisesOf(promise, 'refreshFamilies')(
    'purgeExpired removes refresh families past their end, revoked or not, and no others',
    async (storage) => {
      const user = await insertedUser(storage);
      const live = await insertedFamily(storage, user.id, { expiresAt: after(11) });
      // Until its end it is what an access token of it is refused by.
      const revoked = await insertedFamily(storage, user.id, { expiresAt: after(11), revokedAt: now });
      await insertedFamily(storage, user.id, { expiresAt: after(10) });
      await insertedFamily(storage, user.id, { expiresAt: after(10), revokedAt: now });
      const { refreshFamilies } = await storage.purgeExpired({ now: after(10) });
      assert.ok((refreshFamilies ?? 0) >= 2);
      const left = await storage.refreshFamilies.listForUser(user.id);
      assert.deepEqual(new Set(left), new Set([live, revoked]));
    },
  );

  promisesOf(promise, 'orgs')(
    'purgeExpired removes invites past their end, accepted or not',
    async (storage) => {
      const [owner, user] = [
        await insertedUser(storage),
        await insertedUser(storage, { emailVerified: true }),
      ];
      const [org, other] = [await createdOrg(storage, owner.id), await createdOrg(storage, owner.id)];
      const [email, invitedByUserId] = [user.email ?? '', owner.id];
      const accepted = await storedInvite(storage, org.id, { email, invitedByUserId, expiresAt: after(10) });
      await storage.orgs.acceptInvite(accepted.digest, user.id, now);
      await storedInvite(storage, org.id, { email, invitedByUserId, expiresAt: after(10) });
      const live = await storedInvite(storage, other.id, { email, invitedByUserId, expiresAt: after(11) });
      const { orgInvites } = await storage.purgeExpired({ now: after(10) });
      assert.ok((orgInvites ?? 0) >= 2);
      const left = await storage.orgs.listInvitesOf({ userId: owner.id, email: owner.email });
      assert.deepEqual(left, [live.invite]);
      assert.equal(await storage.orgs.roleOf(org.id, user.id), 'member');
    },
  );

  promisesOf(promise, 'guests')(
    'purgeExpired removes guests 30 days after their creation, with their rows, and no users',
    async (storage) => {
      const [old, young] = [after(-30 * day), after(1 - 30 * day)];
      const abandoned = await insertedGuest(storage, { createdAt: old });
      const recent = await insertedGuest(storage, { createdAt: young });
      const user = await insertedUser(storage, { createdAt: old });
      const upgraded = await insertedGuest(storage, { createdAt: old });
      const identity = newIdentity(upgraded.id);
      await storage.guests.upgrade({ identity, email: null, emailVerified: false, now });
      const session = await startedSession(storage, abandoned.id);
      const token = await storedToken(storage, { subject: abandoned.id });
      await storage.refreshFamilies?.insert(newFamily(abandoned.id));
      const [phoneCode, passkey] = [await linkedPhone(storage, abandoned.id), newCredential(abandoned.id)];
      await storage.credentials?.insert(passkey, 0);
      await storage.totp?.savePending(abandoned.id, 'secret');

      const { guests } = await storage.purgeExpired({ now });

      assert.ok((guests ?? 0) >= 1);
      assert.equal(await storage.users.findById(abandoned.id), null);
      assert.equal(await storage.guests.isGuest(abandoned.id), null);
      assert.equal(await storage.sessions.findWithUser(session.id), null);
      assert.equal(await storage.singleUseTokens.consume('magic_link', token.digest, now), null);
      assert.deepEqual((await storage.refreshFamilies?.listForUser(abandoned.id)) ?? [], []);
      assert.equal(await codeStatus(storage, phoneCode.subject, 'phone_code'), 'missing');
      assert.equal((await storage.credentials?.findWithUser(passkey.id)) ?? null, null);
      assert.equal((await storage.totp?.find(abandoned.id)) ?? null, null);
      for (const { id } of [recent, user, upgraded]) assert.ok(await storage.users.findById(id));
      assert.equal((await storage.identities.listForUser(upgraded.id)).length, 1);
    },
  );

  promisesOf(promise, 'guests')('purgeExpired removes at most limit guests', async (storage) => {
    await storage.purgeExpired({ now });
    await inParallel(5, () => insertedGuest(storage, { createdAt: after(-30 * day) }));
    const purge = async (limit?: number) => (await storage.purgeExpired({ now, limit })).guests;
    assert.deepEqual([await purge(0), await purge(3), await purge(), await purge()], [0, 3, 2, 0]);
  });

  promisesOf(
    promise,
    'guests',
    'orgs',
    'accounts',
  )('purgeExpired removes guests who are members, whatever changes at the same time', async (storage) => {
    const rounds = await inParallel(5, async () => {
      const owner = await insertedUser(storage);
      const orgs = await inParallel(2, () => createdOrg(storage, owner.id));
      const guests = await inParallel(4, () => insertedGuest(storage, { createdAt: after(-30 * day) }));
      const change = (orgId: string, userId: string) => () =>
        storage.orgs.changeMember({ orgId, userId, now }, () => 'member');
      const changes = orgs.flatMap((org) => guests.map(({ id }) => change(org.id, id)));
      for (const join of changes) await join();
      const [doomed] = orgs;
      await Promise.all([
        storage.purgeExpired({ now }),
        ...changes.map((again) => again()),
        storage.orgs.delete(doomed?.id ?? ''),
        storage.accounts.deleteUser(guests[0]?.id ?? '', async () => undefined),
        storage.purgeExpired({ now }),
      ]);
      return { owner, orgs };
    });
    // Once nobody is at work any longer: a purge may skip whom another one holds at the moment.
    await storage.purgeExpired({ now });
    for (const { owner, orgs } of rounds) {
      const members = await Promise.all(orgs.map(({ id }) => storage.orgs.listMembers(id)));
      assert.deepEqual(
        members.flat().map(({ userId }) => userId),
        [owner.id],
      );
    }
  });

  promisesOf(promise, 'apiKeys')('purgeExpired leaves API keys, which their owners list', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    await insertedApiKey(storage, { userId }, { expiresAt: after(-1), revokedAt: after(-2) });
    await storage.purgeExpired({ now });
    assert.equal((await storage.apiKeys.list({ userId })).length, 1);
  });
}

/** The tables that `purgeExpired` counts. */
function tablesOf(storage: StorageAdapter): string[] {
  const { guests, refreshFamilies, orgs } = storage;
  return [
    'sessions',
    'singleUseTokens',
    'oneTimeCodes',
    'rateLimits',
    ...(guests ? ['guests'] : []),
    ...(refreshFamilies ? ['refreshFamilies'] : []),
    ...(orgs ? ['orgInvites'] : []),
  ];
}

async function codeStatus(
  storage: StorageAdapter,
  subject: string,
  purpose: CodePurpose = 'email_code',
): Promise<string> {
  return (await storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, now)).status;
}
