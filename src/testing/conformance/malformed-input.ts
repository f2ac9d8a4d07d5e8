import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  confirmedTotp,
  createdOrg,
  newApiKey,
  newCredential,
  newFamily,
  newHashes,
  newInvite,
  newMembership,
  newOrg,
  newUpgrade,
  storedInvite,
} from './pro-records.js';
import {
  insertedUser,
  newIdentity,
  newSession,
  now,
  type Promises,
  promisesOf,
  startedSession,
} from './suite.js';

export const malformedIds = ['', ' ', 'x', '1', "' or 1=1 --", '{}', 'a\0b', '\ud800', 'é'.repeat(5000)];
const oddTexts = [
  '',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\\u0000',
  "'; drop table svc_users; --",
  'é'.repeat(5000),
];

/** "An identifier that names nothing, well-formed or not, is an answer, never an error." */
export function malformedInputPromises(promise: Promises): void {
  promise('a malformed id is an unknown id, for every method that takes one', async (storage) => {
    const { users, identities, sessions } = storage;
    for (const id of malformedIds) {
      assert.equal(await users.findById(id), null);
      assert.equal(await users.markEmailVerified(id, now), null);
      assert.equal(await users.claim(id, now), null);
      assert.equal(await users.setFirstPassword(id, 0, 'hash', now), false);
      const reset = { tokenDigest: 'x', userId: id, passwordHash: 'hash', now };
      assert.equal(await users.resetPassword(reset), null);
      const change = { userId: id, epoch: 0, fromHash: 'hash', passwordHash: 'new', now };
      assert.deepEqual(await users.changePassword(change), { status: 'other_password' });
      assert.equal(await identities.link(newIdentity(id), 0), false);
      assert.deepEqual(await identities.listForUser(id), []);
      assert.equal(await sessions.start(newSession(id), 0), false);
      assert.equal(await sessions.findWithUser(id), null);
      assert.equal(await sessions.renew(id, { lastSeenAt: now, expiresAt: now }), false);
      assert.equal(await sessions.revoke(id, now), null);
      assert.equal(await sessions.revokeAll(id, now), false);
      assert.deepEqual(await sessions.listLive(id, now), []);
    }
  });

  promise('an odd address, provider account, subject or digest names nothing', async (storage) => {
    const { users, identities, oneTimeCodes, singleUseTokens } = storage;
    const { id: userId } = await insertedUser(storage);
    for (const text of oddTexts) {
      assert.equal(await users.findByEmail(text), null);
      const reset = { tokenDigest: text, userId, passwordHash: 'hash', now };
      assert.equal(await users.resetPassword(reset), null);
      const change = { userId, epoch: 0, fromHash: text, passwordHash: 'new', now };
      assert.deepEqual(await users.changePassword(change), { status: 'other_password' });
      assert.equal(await identities.findUser(text, randomUUID()), null);
      assert.equal(await identities.findUser('google', text), null);
      assert.deepEqual(await oneTimeCodes.reserveAttempt('email_code', text, 5, now), { status: 'missing' });
      assert.equal(await oneTimeCodes.consume('email_code', text, text, now), false);
      await oneTimeCodes.discard('email_code', text, text);
      assert.equal(await singleUseTokens.consume('magic_link', text, now), null);
      await singleUseTokens.discard(text);
    }
  });

  promise('a counter counts under any key', async ({ rateLimits }) => {
    const time = now.getTime();
    const names = ['a\0b', '\ud800', '\ud801', 'x?y', ':name', '{"a",b}'].map(
      (odd) => `${randomUUID()}${odd}`,
    );
    const hits = names.map((key) => ({ key, windowMs: 1000 }));
    const counts = async () => (await rateLimits.hit(hits, time)).map(({ count }) => count);
    assert.deepEqual(await counts(), [1, 1, 1, 1, 1, 1]);
    assert.deepEqual(await counts(), [2, 2, 2, 2, 2, 2]);
    await rateLimits.refund(names, time);
    assert.deepEqual(await counts(), [2, 2, 2, 2, 2, 2]);
    await rateLimits.reset(names);
    assert.deepEqual(await counts(), [1, 1, 1, 1, 1, 1]);
  });

  promise('a device with text that a database cannot hold does not stop a sign-in', async (storage) => {
    const user = await insertedUser(storage);
    const session = await startedSession(storage, user.id, { device: { userAgent: 'a\0b\ud800c\\u0000' } });
    const found = await storage.sessions.findWithUser(session.id);
    assert.match(found?.session.device.userAgent ?? '', /^a.b.c\\u0000$/s);
  });

  proPromises(promise);
}

function proPromises(promises: Promises): void {
  promisesOf(promises, 'guests')('a malformed id is no guest', async ({ guests }) => {
    for (const id of malformedIds) {
      assert.equal(await guests.isGuest(id), null);
      assert.deepEqual(await guests.upgrade(newUpgrade(id)), { status: 'no_user' });
      assert.equal(await guests.delete(id, () => assert.fail('called')), false);
    }
  });

  promisesOf(promises, 'refreshFamilies')(
    'a malformed id is no refresh family',
    async ({ refreshFamilies }) => {
      for (const id of malformedIds) {
        assert.equal(await refreshFamilies.insert(newFamily(id)), false);
        const outcome = await refreshFamilies.rotate({ familyId: id, counter: 0, graceMs: 1, now });
        assert.deepEqual(outcome, { status: 'invalid', userId: null });
        assert.equal(await refreshFamilies.revoke(id, now), null);
        assert.equal(await refreshFamilies.findWithUser(id), null);
        assert.deepEqual(await refreshFamilies.listForUser(id), []);
        await refreshFamilies.revokeAllForUser(id, now);
      }
    },
  );

  promisesOf(promises, 'apiKeys')('a malformed id is no API key, and owns none', async ({ apiKeys }) => {
    for (const id of malformedIds) {
      assert.equal(await apiKeys.insert(newApiKey({ userId: id }), 0), 'no_owner');
      assert.equal(await apiKeys.insert(newApiKey({ orgId: id }), null), 'no_owner');
      assert.equal(await apiKeys.findById(id), null);
      await apiKeys.touch(id, now, now);
      assert.equal(await apiKeys.revoke(id, now), null);
      assert.deepEqual(await apiKeys.list({ userId: id }), []);
      assert.deepEqual(await apiKeys.list({ orgId: id }), []);
    }
  });

  promisesOf(promises, 'orgs')('a malformed id is no organisation, and no member', async (storage) => {
    const { orgs } = storage;
    const { id: userId } = await insertedUser(storage);
    const { id: orgId } = await createdOrg(storage, userId);
    const { digest } = await storedInvite(storage, orgId);
    const decide = () => assert.fail('asked');
    for (const id of malformedIds) {
      const org = newOrg();
      assert.equal(await orgs.create(org, newMembership(org.id, id)), 'no_user');
      assert.equal(await orgs.findById(id), null);
      assert.equal(await orgs.findBySlug(id), null);
      assert.equal(await orgs.delete(id), false);
      assert.equal(await orgs.roleOf(id, userId), null);
      assert.equal(await orgs.roleOf(orgId, id), null);
      assert.deepEqual(await orgs.listMembers(id), []);
      assert.deepEqual(await orgs.listForUser(id), []);
      assert.equal(await orgs.changeMember({ orgId: id, userId, now }, decide), 'no_org');
      assert.equal(await orgs.changeMember({ orgId, userId: id, now }, decide), 'no_user');
      assert.equal(await orgs.insertInvite(newInvite(id), randomUUID()), 'no_org');
      const forged = newInvite(orgId, { invitedByUserId: id });
      assert.equal(await orgs.insertInvite(forged, randomUUID()), 'no_inviter');
      assert.deepEqual(await orgs.acceptInvite(digest, id, now, () => 'owner'), { status: 'no_user' });
      assert.deepEqual(await orgs.acceptInvite(id, userId, now, () => 'owner'), { status: 'invalid' });
      assert.deepEqual(await orgs.listInvitesOf({ userId: id, email: id }), []);
    }
    assert.equal(await orgs.roleOf(orgId, userId), 'owner');
  });

  promisesOf(
    promises,
    'orgs',
    'apiKeys',
  )('a name with text that a database cannot hold is kept as far as it can be', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const name = 'a\0b\ud800c\\u0000';
    const org = newOrg({ name });
    assert.equal(await storage.orgs.create(org, newMembership(org.id, userId)), 'created');
    assert.equal(await storage.apiKeys.insert(newApiKey({ orgId: org.id }, { name }), null), 'inserted');
    const [key] = await storage.apiKeys.list({ orgId: org.id });
    for (const found of [await storage.orgs.findById(org.id), key]) {
      assert.match(found?.name ?? '', /^a.b.c\\u0000$/s);
    }
  });

  promisesOf(promises, 'totp')('a malformed id has no second factor', async (storage) => {
    const { totp } = storage;
    const pendingSecret = 'secret';
    for (const id of malformedIds) {
      assert.equal(await totp.find(id), null);
      assert.equal(await totp.savePending(id, pendingSecret), 'no_user');
      const confirmation = { userId: id, pendingSecret, step: 1, recoveryCodeHashes: newHashes(), now };
      assert.equal(await totp.confirm(confirmation), false);
      assert.equal(await totp.advance(id, pendingSecret, 1), false);
      await totp.reencrypt(id, pendingSecret, 'other');
      assert.equal(await totp.replaceRecoveryCodes(id, newHashes(), now), false);
      assert.equal(await totp.consumeRecoveryCode(id, newHashes()), false);
      assert.equal(await totp.countRecoveryCodes(id), 0);
      assert.equal(await totp.disable(id, now), false);
    }
  });

  promisesOf(promises, 'totp')('an odd secret or hash is none that anybody has', async (storage) => {
    const { totp } = storage;
    const { id: userId } = await insertedUser(storage);
    const { secret, recoveryCodeHashes } = await confirmedTotp(storage, userId);
    await totp.savePending(userId, 'pending');
    const before = await totp.find(userId);
    for (const text of oddTexts) {
      const wish = { userId, pendingSecret: text, step: 2000, recoveryCodeHashes: newHashes(), now };
      assert.equal(await totp.confirm(wish), false);
      assert.equal(await totp.advance(userId, text, 2000), false);
      await totp.reencrypt(userId, text, 'other');
      assert.equal(await totp.consumeRecoveryCode(userId, [text]), false);
    }
    assert.deepEqual(await totp.find(userId), before);
    assert.equal(await totp.countRecoveryCodes(userId), 3);
    // An odd one beside it does not hide the right one.
    assert.equal(await totp.consumeRecoveryCode(userId, [...oddTexts, ...recoveryCodeHashes.slice(2)]), true);
    assert.equal(await totp.advance(userId, secret, 2000), true);
  });

  promisesOf(promises, 'credentials')('a malformed id is no passkey, and has none', async (storage) => {
    const { credentials } = storage;
    const { id: userId } = await insertedUser(storage);
    for (const id of [...malformedIds, ...oddTexts]) {
      assert.equal(await credentials.insert(newCredential(id), 0), 'no_user');
      assert.equal(await credentials.findWithUser(id), null);
      assert.deepEqual(await credentials.listForUser(id), []);
      assert.equal(await credentials.use({ id, counter: 1, backedUp: false, now }), false);
      assert.equal(await credentials.remove(id, randomUUID()), false);
      assert.equal(await credentials.remove(userId, id), false);
    }
    // Of a user who is there: kept as it is, or nobody's to have.
    for (const id of oddTexts.map((text) => `${randomUUID()}${text}`)) {
      const outcome = await credentials.insert(newCredential(userId, { id }), 0);
      assert.equal(
        outcome,
        (await credentials.findWithUser(id))?.credential.id === id ? 'inserted' : 'taken',
      );
    }
  });

  promisesOf(promises, 'accounts')('a malformed id is no account', async ({ accounts }) => {
    const within = () => assert.fail('called');
    for (const id of malformedIds) {
      assert.deepEqual(await accounts.deleteUser(id, within), { status: 'no_user' });
      assert.deepEqual(await accounts.listSessions(id), []);
    }
  });
}
