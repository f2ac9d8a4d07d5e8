import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OrgRole } from '../../src/domain/org.js';
import type { NewUser } from '../../src/storage/repositories.js';
import {
  accepted,
  createdOrg,
  insertedGuest,
  newInvite,
  newMembership,
  storedInvite,
} from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  tally,
  type With,
} from './suite.js';

/**
 * Creates a user with a verified address, another user's organization, and an invite for the user.
 */
async function invitation(storage: With<'orgs'>, invited: Partial<NewUser> = {}, role: OrgRole = 'member') {
  const owner = await insertedUser(storage);
  const user = await insertedUser(storage, { emailVerified: true, ...invited });
  const org = await createdOrg(storage, owner.id);
  const email = user.email ?? `${randomUUID()}@example.test`;
  const { invite, digest } = await storedInvite(storage, org.id, { email, role, invitedByUserId: owner.id });
  return { owner, user, org, invite, digest };
}

export function describeOrgInvites(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'orgs');

  test('acceptInvite makes the user a member, once', async (storage) => {
    const { user, org, invite, digest } = await invitation(storage, {}, 'admin');
    const membership = { ...newMembership(org.id, user.id, 'admin'), createdAt: after(5) };
    const outcome = { status: 'accepted', membership, previousRole: null };
    assert.deepEqual(await accepted(storage, digest, user.id, after(5)), outcome);
    assert.deepEqual(await storage.orgs.listForUser(user.id), [membership]);
    assert.deepEqual(await accepted(storage, digest, user.id, after(6)), { status: 'invalid' });
    const [listed] = await storage.orgs.listInvitesOf({ userId: user.id, email: user.email });
    assert.deepEqual(listed, { ...invite, acceptedAt: after(5) });
  });

  test('only one of 50 parallel acceptances of an invite succeeds', async (storage) => {
    const { user, org, digest } = await invitation(storage);
    const results = await inParallel(50, () => accepted(storage, digest, user.id, now));
    assert.deepEqual(tally(results.map(({ status }) => status)), { accepted: 1, invalid: 49 });
    assert.equal((await storage.orgs.listMembers(org.id)).length, 2);
  });

  test('an invite is invalid from expiresAt on, and valid a millisecond earlier', async (storage) => {
    const { user, invite, digest } = await invitation(storage);
    const statusAt = async (time: Date) => (await accepted(storage, digest, user.id, time)).status;
    assert.equal(await statusAt(invite.expiresAt), 'invalid');
    assert.equal(await statusAt(new Date(invite.expiresAt.getTime() - 1)), 'accepted');
  });

  test('an unknown user, a wrong address or an unverified address does not consume the invite', async (storage) => {
    const { user, digest } = await invitation(storage);
    const stranger = await insertedUser(storage, { emailVerified: true });
    const nobody = await insertedUser(storage, { email: null, emailVerified: true });
    const statusOf = async (userId: string) => (await accepted(storage, digest, userId, now)).status;
    assert.equal(await statusOf(randomUUID()), 'no_user');
    assert.equal(await statusOf(stranger.id), 'wrong_user');
    assert.equal(await statusOf(nobody.id), 'wrong_user');
    assert.deepEqual(await storage.orgs.listForUser(stranger.id), []);
    assert.equal(await statusOf(user.id), 'accepted');
    const unverified = await invitation(storage, { emailVerified: false });
    const accept = () => accepted(storage, unverified.digest, unverified.user.id, now);
    assert.deepEqual(await accept(), { status: 'wrong_user' });
    await storage.users.markEmailVerified(unverified.user.id, now);
    assert.equal((await accept()).status, 'accepted');
  });

  test('acceptInvite returns invalid for an accepted or unknown invite, for every user', async (storage) => {
    const { invite, digest } = await invitation(storage);
    const stranger = await insertedUser(storage);
    const late = await accepted(storage, digest, stranger.id, invite.expiresAt);
    assert.deepEqual(late, { status: 'invalid' });
    const unknown = await accepted(storage, randomUUID(), stranger.id, now);
    assert.deepEqual(unknown, { status: 'invalid' });
    const noUser = await accepted(storage, digest, randomUUID(), invite.expiresAt);
    assert.deepEqual(noUser, { status: 'no_user' });
  });

  testsRequiring(
    register,
    'orgs',
    'guests',
  )('a guest cannot accept an invite', async (storage) => {
    const { digest } = await invitation(storage);
    const guest = await insertedGuest(storage, { emailVerified: true });
    assert.deepEqual(await accepted(storage, digest, guest.id, now), { status: 'wrong_user' });
  });

  test('an invite is valid only while its inviter may invite to its role', async (storage) => {
    const outcomes: [OrgRole, OrgRole | null, string][] = [
      ['member', null, 'invalid'],
      ['member', 'member', 'invalid'],
      ['member', 'admin', 'accepted'],
      ['admin', 'admin', 'accepted'],
      ['owner', 'admin', 'invalid'],
      ['owner', 'owner', 'accepted'],
    ];
    for (const [invited, inviterRole, expected] of outcomes) {
      const { owner, user, org, digest } = await invitation(storage, {}, invited);
      await storage.orgs.changeMember({ orgId: org.id, userId: owner.id, now }, () => inviterRole);
      const { status } = await accepted(storage, digest, user.id, now);
      assert.equal(status, expected, `${String(inviterRole)} invites ${invited}`);
    }
  });

  test('an invite of the system is valid without an inviter', async (storage) => {
    const { user, org } = await invitation(storage);
    const { digest } = await storedInvite(storage, org.id, { email: user.email ?? '', role: 'owner' });
    assert.equal((await accepted(storage, digest, user.id, now)).status, 'accepted');
  });

  test('acceptInvite by a member keeps the higher role and createdAt, and returns the previous role', async (storage) => {
    for (const [present, invited, expected] of [
      ['owner', 'member', 'owner'],
      ['admin', 'admin', 'admin'],
      ['member', 'admin', 'admin'],
    ] as const) {
      const { user, org, digest } = await invitation(storage, {}, invited);
      await storage.orgs.changeMember({ orgId: org.id, userId: user.id, now }, () => present);
      const membership = newMembership(org.id, user.id, expected);
      const outcome = await accepted(storage, digest, user.id, after(5));
      assert.deepEqual(outcome, { status: 'accepted', membership, previousRole: present });
      assert.deepEqual(await storage.orgs.listForUser(user.id), [membership]);
    }
  });

  test('a new invite to the same address and organization replaces the pending one', async (storage) => {
    const { owner, user, org, invite, digest } = await invitation(storage);
    const { email } = invite;
    const other = await createdOrg(storage, owner.id);
    const elsewhere = await storedInvite(storage, other.id, { email });
    const next = await storedInvite(storage, org.id, { email, role: 'admin', createdAt: after(1) });
    assert.deepEqual(await accepted(storage, digest, user.id, now), { status: 'invalid' });
    const listed = await storage.orgs.listInvitesOf({ userId: user.id, email: user.email });
    assert.deepEqual(listed, [elsewhere.invite, next.invite]);
    assert.equal((await accepted(storage, next.digest, user.id, now)).status, 'accepted');
    assert.equal((await accepted(storage, elsewhere.digest, user.id, now)).status, 'accepted');
  });

  test('insertInvite returns superseded and changes nothing if a newer invite to the same address is stored', async (storage) => {
    const { user, org, invite, digest } = await invitation(storage);
    const { email } = invite;
    const older = newInvite(org.id, { email, role: 'owner', createdAt: after(-1) });
    const olderDigest = randomUUID();
    const insertOlder = () => storage.orgs.insertInvite(older, olderDigest);
    assert.equal(await insertOlder(), 'superseded');
    assert.deepEqual(await storage.orgs.listInvitesOf({ userId: randomUUID(), email }), [invite]);
    assert.deepEqual(await accepted(storage, olderDigest, user.id, now), { status: 'invalid' });
    // Created at the same time: the invite stored last replaces the other.
    const equal = await storedInvite(storage, org.id, { email, role: 'admin' });
    assert.deepEqual(await accepted(storage, digest, user.id, now), { status: 'invalid' });
    assert.equal((await accepted(storage, equal.digest, user.id, now)).status, 'accepted');
    // An invite that was accepted in the meantime supersedes older ones too.
    assert.equal(await insertOlder(), 'superseded');
  });

  test('a new invite does not replace an accepted one', async (storage) => {
    const { user, org, invite, digest } = await invitation(storage);
    await accepted(storage, digest, user.id, now);
    await storage.orgs.changeMember({ orgId: org.id, userId: user.id, now }, () => null);
    const again = await storedInvite(storage, org.id, { email: invite.email, createdAt: after(1) });
    const listed = await storage.orgs.listInvitesOf({ userId: user.id, email: user.email });
    assert.deepEqual(listed, [{ ...invite, acceptedAt: now }, again.invite]);
    assert.equal((await accepted(storage, again.digest, user.id, now)).status, 'accepted');
  });

  test('only one of 50 parallel invites to an address is pending', async (storage) => {
    const { user, org, invite } = await invitation(storage);
    const digests = Array.from({ length: 50 }, () => randomUUID());
    const stored = await Promise.all(
      digests.map((digest) => storage.orgs.insertInvite(newInvite(org.id, { email: invite.email }), digest)),
    );
    assert.deepEqual(tally(stored), { stored: 50 });
    assert.equal((await storage.orgs.listInvitesOf({ userId: user.id, email: user.email })).length, 1);
    const results = await inParallel(50, (index) => accepted(storage, digests[index] ?? '', user.id, now));
    assert.deepEqual(tally(results.map(({ status }) => status)), { accepted: 1, invalid: 49 });
  });

  test('an invite to an unknown organization or from an unknown user is not stored and replaces no invite', async (storage) => {
    const { user, org, invite, digest } = await invitation(storage);
    const { email } = invite;
    const orphan = newInvite(randomUUID(), { email });
    assert.equal(await storage.orgs.insertInvite(orphan, randomUUID()), 'no_org');
    const forged = newInvite(org.id, { email, invitedByUserId: randomUUID() });
    assert.equal(await storage.orgs.insertInvite(forged, randomUUID()), 'no_inviter');
    assert.deepEqual(await storage.orgs.listInvitesOf({ userId: randomUUID(), email }), [invite]);
    assert.equal((await accepted(storage, digest, user.id, now)).status, 'accepted');
  });

  test('listInvitesOf returns the invites sent by the user and to the address, oldest first', async (storage) => {
    const { owner, user, org, invite } = await invitation(storage);
    const { invite: other } = await storedInvite(storage, org.id, {
      invitedByUserId: user.id,
      createdAt: after(-5),
    });
    await storedInvite(storage, org.id);
    const { orgs } = storage;
    assert.deepEqual(await orgs.listInvitesOf({ userId: user.id, email: user.email }), [other, invite]);
    assert.deepEqual(await orgs.listInvitesOf({ userId: user.id, email: null }), [other]);
    assert.deepEqual(await orgs.listInvitesOf({ userId: owner.id, email: owner.email }), [invite]);
  });

  test('an acceptance in parallel with the demotion of the inviter and the deletion of the organization does not deadlock', async (storage) => {
    await inParallel(10, async () => {
      const { owner, user, org, digest } = await invitation(storage);
      const [outcome] = await Promise.all([
        accepted(storage, digest, user.id, now),
        storage.orgs.changeMember({ orgId: org.id, userId: owner.id, now }, () => 'member'),
      ]);
      const role = await storage.orgs.roleOf(org.id, user.id);
      assert.equal(role, outcome.status === 'accepted' ? 'member' : null);
      const next = await storedInvite(storage, org.id, { email: user.email ?? '' });
      await Promise.all([accepted(storage, next.digest, user.id, now), storage.orgs.delete(org.id)]);
      assert.deepEqual(await storage.orgs.listForUser(user.id), []);
    });
  });
}
