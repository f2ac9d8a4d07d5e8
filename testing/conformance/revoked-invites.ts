/** Pending and revoked invites. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mayWithdraw } from '../../src/domain/org-invite.js';
import type { OrgInvite, OrgRole } from '../../src/domain/org.js';
import { isServiceError } from '../../src/errors/service-error.js';
import type { OrgActor } from '../../src/storage/org-repository.js';
import { accepted, createdOrg, newInvite, storedInvite } from './pro-records.js';
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

async function invitation(storage: With<'orgs'>, role: OrgRole = 'member') {
  const owner = await insertedUser(storage);
  const user = await insertedUser(storage, { emailVerified: true });
  const { id: orgId } = await createdOrg(storage, owner.id);
  const by = { email: user.email ?? '', role, invitedByUserId: owner.id };
  const { invite, digest } = await storedInvite(storage, orgId, by);
  const revocation = { orgId, inviteId: invite.id, now: after(5) };
  return { owner, user, orgId, invite, digest, revocation };
}

export function describeRevokedInvites(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'orgs');

  test('listPendingInvites returns invites oldest first, without accepted and expired ones', async (storage) => {
    const { user, orgId, invite, digest } = await invitation(storage);
    const { invite: newer } = await storedInvite(storage, orgId, { createdAt: after(9) });
    const { invite: older } = await storedInvite(storage, orgId, { createdAt: after(-9) });
    await storedInvite(storage, orgId, { expiresAt: after(10) });
    await invitation(storage);
    const { orgs } = storage;
    assert.deepEqual(await orgs.listPendingInvites(orgId, after(10)), [older, invite, newer]);
    await accepted(storage, digest, user.id, now);
    assert.deepEqual(await orgs.listPendingInvites(orgId, after(10)), [older, newer]);
    for (const none of [randomUUID(), 'malformed']) {
      assert.deepEqual(await orgs.listPendingInvites(none, now), []);
    }
  });

  test('findInvitesTo returns the open invites of every org to an address, with the state of their inviters', async (storage) => {
    const { owner, user, orgId, invite, digest } = await invitation(storage, 'admin');
    const { email } = invite;
    const { orgs } = storage;
    const other = await createdOrg(storage, user.id);
    const { invite: bySystem } = await storedInvite(storage, other.id, { email, invitedByUserId: null });
    await storedInvite(storage, orgId, { email: `${randomUUID()}@example.test`, invitedByUserId: owner.id });
    const found = new Map((await orgs.findInvitesTo(email, now)).map((each) => [each.invite.id, each]));
    assert.equal(found.size, 2);
    const isInviterUnverified = !owner.emailVerified;
    assert.deepEqual(found.get(invite.id), { invite, inviterRole: 'owner', isInviterUnverified });
    const unnamed = { invite: bySystem, inviterRole: null, isInviterUnverified: false };
    assert.deepEqual(found.get(bySystem.id), unnamed);
    await orgs.revokeInvite({ orgId: other.id, inviteId: bySystem.id, now: after(1) });
    const ids = async (time: Date) => (await orgs.findInvitesTo(email, time)).map((each) => each.invite.id);
    assert.deepEqual(await ids(now), [invite.id]);
    assert.deepEqual(await ids(invite.expiresAt), []);
    await accepted(storage, digest, user.id, after(2));
    assert.deepEqual(await ids(now), []);
    for (const unknown of ['', 'nul\0@example.test', '\ud800'])
      assert.deepEqual(await orgs.findInvitesTo(unknown, now), []);
  });

  test('a revoked invite cannot be accepted by any clock and is not listed', async (storage) => {
    const { user, orgId, digest, revocation } = await invitation(storage);
    assert.equal(await storage.orgs.revokeInvite(revocation), true);
    assert.equal(await storage.orgs.revokeInvite(revocation), false);
    for (const time of [now, after(4), after(6)]) {
      assert.deepEqual(await accepted(storage, digest, user.id, time), { status: 'invalid' });
    }
    assert.equal(await storage.orgs.roleOf(orgId, user.id), null);
    assert.deepEqual(await storage.orgs.listPendingInvites(orgId, after(6)), []);
  });

  test('an invite that a clock ahead revoked is not pending', async (storage) => {
    const { orgId, revocation } = await invitation(storage);
    assert.equal(await storage.orgs.revokeInvite({ ...revocation, now: after(60) }), true);
    assert.deepEqual(await storage.orgs.listPendingInvites(orgId, after(6)), []);
    assert.equal(await storage.orgs.revokeInvite(revocation), false);
  });

  test("insertInvite passes the actor's role and the pending invite to decide, and keeps the invite if it throws", async (storage) => {
    const { owner, orgId, invite, revocation } = await invitation(storage, 'owner');
    const admin = await insertedUser(storage);
    await storage.orgs.changeMember({ orgId, userId: admin.id, now }, () => 'admin');
    const calls: [OrgRole | null, OrgInvite | null][] = [];
    const insert = (userId: string, createdAt: Date, email = invite.email) => {
      const replacing = newInvite(orgId, { email, invitedByUserId: userId, createdAt });
      const decide: OrgActor<OrgInvite | null>['decide'] = (role, inviter, pending) => {
        assert.deepEqual([inviter?.id, inviter?.epoch], [userId, 0]);
        calls.push([role, pending]);
        mayWithdraw(role, pending);
      };
      return storage.orgs.insertInvite(replacing, randomUUID(), { userId, decide });
    };
    const isRefused = (error: unknown) => isServiceError(error) && error.code === 'not_authorized';
    await assert.rejects(insert(admin.id, after(1)), isRefused);
    assert.deepEqual(await storage.orgs.listPendingInvites(orgId, after(2)), [invite]);
    assert.equal(await insert(admin.id, after(1), 'somebody-else@example.test'), 'stored');
    assert.equal(await insert(admin.id, invite.expiresAt), 'stored');
    const again = await storedInvite(storage, orgId, {
      email: invite.email,
      role: 'owner',
      createdAt: invite.expiresAt,
    });
    await storage.orgs.revokeInvite({ ...revocation, inviteId: again.invite.id, now: invite.expiresAt });
    assert.equal(await insert(admin.id, invite.expiresAt), 'stored');
    await storage.orgs.changeMember({ orgId, userId: owner.id, now }, () => 'member');
    await assert.rejects(insert(owner.id, invite.expiresAt, 'third@example.test'), isRefused);
    assert.deepEqual(calls, [
      ['admin', invite],
      ['admin', null],
      ['admin', null],
      ['admin', null],
      ['member', null],
    ]);
  });

  test('revokeInvite returns false for an invite that is unknown, accepted, expired or of another organization', async (storage) => {
    const { user, orgId, invite, digest, revocation } = await invitation(storage);
    const other = await invitation(storage);
    const { orgs } = storage;
    for (const odd of [
      { ...revocation, inviteId: randomUUID() },
      { ...revocation, inviteId: 'malformed' },
      { ...revocation, orgId: other.orgId },
      { ...revocation, orgId: randomUUID() },
      { ...revocation, orgId: 'malformed' },
      { ...revocation, now: invite.expiresAt },
    ]) {
      assert.equal(await orgs.revokeInvite(odd), false);
    }
    assert.deepEqual(await orgs.listPendingInvites(orgId, now), [invite]);
    assert.equal((await accepted(storage, digest, user.id, after(4))).status, 'accepted');
    assert.equal(await orgs.revokeInvite(revocation), false);
    const listed = await orgs.listInvitesOf({ userId: user.id, email: user.email });
    assert.deepEqual(listed, [{ ...invite, acceptedAt: after(4) }]);
  });

  test('revokeInvite passes the role and the invite to decide, and keeps the invite if it throws', async (storage) => {
    const { owner, user, orgId, invite, revocation } = await invitation(storage, 'owner');
    const admin = await insertedUser(storage);
    await storage.orgs.changeMember({ orgId, userId: admin.id, now }, () => 'admin');
    const calls: [OrgRole | null, OrgInvite | null][] = [];
    const decide: OrgActor<OrgInvite | null>['decide'] = (role, _, about) => {
      calls.push([role, about]);
      mayWithdraw(role, about);
    };
    const withdraw = (userId: string, inviteId = invite.id) =>
      storage.orgs.revokeInvite({ ...revocation, inviteId }, { userId, decide });
    const isRefused = (error: unknown) => isServiceError(error) && error.code === 'not_authorized';
    await assert.rejects(withdraw(admin.id), isRefused);
    await assert.rejects(withdraw(user.id), isRefused);
    await assert.rejects(withdraw(user.id, randomUUID()), isRefused);
    await assert.rejects(withdraw('malformed', 'malformed'), isRefused);
    assert.deepEqual(await storage.orgs.listPendingInvites(orgId, now), [invite]);
    assert.equal(await withdraw(admin.id, randomUUID()), false);
    assert.equal(await withdraw(owner.id), true);
    assert.deepEqual(calls, [
      ['admin', invite],
      [null, invite],
      [null, null],
      [null, null],
      ['admin', null],
      ['owner', invite],
    ]);
  });

  test('a newer invite replaces a revoked one', async (storage) => {
    const { user, orgId, invite, revocation } = await invitation(storage);
    await storage.orgs.revokeInvite(revocation);
    const next = await storedInvite(storage, orgId, { email: invite.email, createdAt: after(6) });
    assert.deepEqual(await storage.orgs.listPendingInvites(orgId, after(6)), [next.invite]);
    assert.equal((await accepted(storage, next.digest, user.id, after(7))).status, 'accepted');
  });

  test('an older invite that is stored after the newer one was revoked, and after a purge, is superseded', async (storage) => {
    const { user, orgId, invite, revocation } = await invitation(storage);
    await storage.orgs.revokeInvite(revocation);
    const older = newInvite(orgId, { email: invite.email, role: 'owner', createdAt: after(-1) });
    const digest = randomUUID();
    await storage.purgeExpired({ now: after(6) });
    assert.equal(await storage.orgs.insertInvite(older, digest), 'superseded');
    assert.deepEqual(await accepted(storage, digest, user.id, now), { status: 'invalid' });
  });

  test('only one of 50 parallel revocations of an invite returns true', async (storage) => {
    const { revocation } = await invitation(storage);
    const results = await inParallel(50, () => storage.orgs.revokeInvite(revocation));
    assert.deepEqual(tally(results.map(String)), { true: 1, false: 49 });
  });

  test('only one of an acceptance and a parallel revocation succeeds', async (storage) => {
    await inParallel(10, async () => {
      const { user, orgId, digest, revocation } = await invitation(storage);
      const accept = () => accepted(storage, digest, user.id, now);
      const withdraw = () => storage.orgs.revokeInvite(revocation);
      const racing = [accept(), withdraw(), accept(), withdraw(), accept()];
      const won = (await Promise.all(racing)).map((each) =>
        typeof each === 'boolean' ? each && 'withdrawn' : each.status === 'accepted' && 'accepted',
      );
      const winners = won.filter((each) => each !== false);
      assert.equal(winners.length, 1);
      assert.equal(await storage.orgs.roleOf(orgId, user.id), winners[0] === 'accepted' ? 'member' : null);
    });
  });
}
