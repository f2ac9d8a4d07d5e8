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
import { insertedUser, now, type RegisterConformanceTest, testsRequiring } from './suite.js';
import { malformedIds, oddTexts } from './malformed-ids.js';

/** Malformed ids in the repositories of the Pro tier. */
export function describeMalformedProIds(register: RegisterConformanceTest): void {
  testsRequiring(register, 'guests')('a malformed id is an unknown guest', async ({ guests }) => {
    for (const id of malformedIds) {
      assert.equal(await guests.isGuest(id), null);
      assert.deepEqual(await guests.upgrade(newUpgrade(id)), { status: 'no_user' });
      assert.equal(await guests.delete(id, () => assert.fail('called')), false);
    }
  });

  testsRequiring(register, 'refreshFamilies')('a malformed id is an unknown family', async (storage) => {
    const { refreshFamilies } = storage;
    for (const id of malformedIds) {
      assert.equal(await refreshFamilies.insert(newFamily(id)), false);
      const outcome = await refreshFamilies.rotate({ familyId: id, counter: 0, graceMs: 1, now });
      assert.deepEqual(outcome, { status: 'invalid', userId: null });
      assert.equal(await refreshFamilies.revoke(id, now), null);
      assert.equal(await refreshFamilies.findWithUser(id), null);
      assert.deepEqual(await refreshFamilies.listForUser(id), []);
      await refreshFamilies.revokeAllForUser(id, now);
    }
  });

  testsRequiring(register, 'apiKeys')(
    'a malformed id is an unknown API key or owner',
    async ({ apiKeys }) => {
      for (const id of malformedIds) {
        assert.equal(await apiKeys.insert(newApiKey({ userId: id }), 0), 'no_owner');
        assert.equal(await apiKeys.insert(newApiKey({ orgId: id }), null), 'no_owner');
        assert.equal(await apiKeys.findById(id), null);
        await apiKeys.touch(id, now, now);
        assert.equal(await apiKeys.revoke(id, now), null);
        assert.deepEqual(await apiKeys.list({ userId: id }), []);
        assert.deepEqual(await apiKeys.list({ orgId: id }), []);
      }
    },
  );

  testsRequiring(register, 'orgs')('a malformed id is an unknown organization or member', async (storage) => {
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

  testsRequiring(
    register,
    'orgs',
    'apiKeys',
  )('a name with text that the database cannot store is stored as far as possible', async (storage) => {
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

  testsRequiring(register, 'totp')('a malformed id has no second factor', async (storage) => {
    const { totp } = storage;
    const pendingSecret = 'secret';
    for (const id of malformedIds) {
      assert.equal(await totp.find(id), null);
      assert.equal(await totp.savePending(id, pendingSecret), 'no_user');
      const input = { userId: id, pendingSecret, step: 1, recoveryCodeHashes: newHashes(), now };
      assert.equal(await totp.confirm(input), false);
      assert.equal(await totp.advance(id, pendingSecret, 1, now), false);
      await totp.reencrypt(id, pendingSecret, 'other');
      assert.equal(await totp.replaceRecoveryCodes(id, newHashes(), now), false);
      assert.equal(await totp.consumeRecoveryCode(id, newHashes()), null);
      assert.equal(await totp.countRecoveryCodes(id), 0);
      assert.equal(await totp.disable(id, now), false);
    }
  });

  testsRequiring(register, 'totp')('an unstorable secret or hash never matches', async (storage) => {
    const { totp } = storage;
    const { id: userId } = await insertedUser(storage);
    const { secret, recoveryCodeHashes } = await confirmedTotp(storage, userId);
    await totp.savePending(userId, 'pending');
    const before = await totp.find(userId);
    for (const text of oddTexts) {
      const input = { userId, pendingSecret: text, step: 2000, recoveryCodeHashes: newHashes(), now };
      assert.equal(await totp.confirm(input), false);
      assert.equal(await totp.advance(userId, text, 2000, now), false);
      await totp.reencrypt(userId, text, 'other');
      assert.equal(await totp.consumeRecoveryCode(userId, [text]), null);
    }
    assert.deepEqual(await totp.find(userId), before);
    assert.equal(await totp.countRecoveryCodes(userId), 3);
    // An invalid hash next to the right one does not prevent the match.
    assert.ok(await totp.consumeRecoveryCode(userId, [...oddTexts, ...recoveryCodeHashes.slice(2)]));
    assert.equal(await totp.advance(userId, secret, 2000, now), true);
  });

  testsRequiring(register, 'credentials')('a malformed id is an unknown passkey or user', async (storage) => {
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
    // For an existing user, the id is stored unchanged or rejected as taken.
    for (const id of oddTexts.map((text) => `${randomUUID()}${text}`)) {
      const outcome = await credentials.insert(newCredential(userId, { id }), 0);
      const isStored = (await credentials.findWithUser(id))?.credential.id === id;
      assert.equal(outcome, isStored ? 'inserted' : 'taken');
    }
  });

  testsRequiring(register, 'accounts')('a malformed id is an unknown account', async ({ accounts }) => {
    const within = () => assert.fail('called');
    for (const id of malformedIds) {
      assert.deepEqual(await accounts.deleteUser(id, within), { status: 'no_user' });
      assert.deepEqual(await accounts.listSessions(id), []);
    }
  });
}
