import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OrgRole } from '../../src/domain/org.js';
import { accepted, createdOrg, newInvite, newMembership, newOrg, storedInvite } from './pro-records.js';
import {
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  startedSession,
  resetOf,
  storedReset,
} from './suite.js';

const nothing = async () => undefined;

export function describeAccountMemberships(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'accounts', 'orgs');
  const orgTest = testsRequiring(register, 'orgs');

  test('deleteUser returns last_owner without calling within for the last owner of an organization', async (storage) => {
    const [user, other] = [await insertedUser(storage), await insertedUser(storage)];
    await createdOrg(storage, user.id, { [other.id]: 'owner' });
    const { id: orgId } = await createdOrg(storage, user.id, { [other.id]: 'admin' });
    const session = await startedSession(storage, user.id);
    const remove = (within: () => Promise<void>) => storage.accounts.deleteUser(user.id, within);
    const refused = await remove(() => assert.fail('called'));
    assert.deepEqual(refused, { status: 'last_owner', orgId });
    assert.deepEqual(await storage.sessions.findWithUser(session.id), { session, user });
    assert.equal((await storage.orgs.listForUser(user.id)).length, 2);
    await storage.orgs.changeMember({ orgId, userId: other.id, now }, () => 'owner');
    assert.deepEqual(await remove(nothing), { status: 'deleted' });
    const [left] = await storage.orgs.listMembers(orgId);
    assert.deepEqual(left, newMembership(orgId, other.id, 'owner'));
  });

  test('deleteUser deletes the pending and accepted invites that the user sent', async (storage) => {
    const [owner, admin] = [await insertedUser(storage), await insertedUser(storage)];
    const invited = await insertedUser(storage, { emailVerified: true });
    const org = await createdOrg(storage, owner.id, { [admin.id]: 'admin' });
    const to = { email: invited.email ?? '', invitedByUserId: admin.id };
    const first = await storedInvite(storage, org.id, to);
    await accepted(storage, first.digest, invited.id, now);
    const second = await storedInvite(storage, org.id, to);
    await storage.accounts.deleteUser(admin.id, nothing);
    const listed = await storage.orgs.listInvitesOf({ userId: invited.id, email: invited.email });
    assert.deepEqual(listed, []);
    const outcome = await accepted(storage, second.digest, invited.id, now);
    assert.deepEqual(outcome, { status: 'invalid' });
    assert.equal(await storage.orgs.roleOf(org.id, invited.id), 'member');
  });

  test('deleteUser of a user with an unverified address keeps the invites to that address', async (storage) => {
    const [owner, squatter] = [await insertedUser(storage), await insertedUser(storage)];
    const org = await createdOrg(storage, owner.id);
    const { invite } = await storedInvite(storage, org.id, { email: squatter.email ?? '' });
    assert.deepEqual(await storage.accounts.deleteUser(squatter.id, nothing), { status: 'deleted' });
    assert.deepEqual(await storage.orgs.listPendingInvites(org.id, now), [invite]);
  });

  for (const verb of ['claim', 'resetPassword'] as const) {
    orgTest(
      `${verb} of an unverified user removes the pending invites of that user alone`,
      async (storage) => {
        const [squatter, other] = [await insertedUser(storage), await insertedUser(storage)];
        const user = await insertedUser(storage, { emailVerified: true });
        const orgs = await inParallel(3, () => createdOrg(storage, other.id, { [squatter.id]: 'admin' }));
        const [org, , last] = orgs;
        assert.ok(org && last);
        const by = { invitedByUserId: squatter.id };
        const pending = await Promise.all(orgs.map(({ id }) => storedInvite(storage, id, by)));
        const used = await storedInvite(storage, org.id, { ...by, email: user.email ?? '' });
        await accepted(storage, used.digest, user.id, now);
        const revoked = await storedInvite(storage, org.id, by);
        await storage.orgs.revokeInvite({ orgId: org.id, inviteId: revoked.invite.id, now });
        const kept = [
          await storedInvite(storage, org.id, { invitedByUserId: other.id }),
          await storedInvite(storage, last.id, { email: squatter.email ?? '' }),
        ];
        if (verb === 'claim') assert.ok(await storage.users.claim(squatter.id, now));
        else {
          const reset = resetOf(squatter, await storedReset(storage, squatter));
          assert.ok(await storage.users.resetPassword(reset));
        }
        for (const { digest } of pending) assert.equal(await storage.orgs.findInvite(digest), null);
        for (const { invite, digest } of kept) {
          assert.deepEqual((await storage.orgs.findInvite(digest))?.invite, invite);
        }
        const ofSquatter = await storage.orgs.listInvitesOf({ userId: squatter.id, email: null });
        assert.deepEqual(
          new Set(ofSquatter.map(({ id }) => id)),
          new Set([used.invite.id, revoked.invite.id]),
        );
      },
    );
  }

  orgTest(
    'a claim in parallel with the deletion of organizations leaves no invite of the user',
    async (storage) => {
      await inParallel(10, async () => {
        const [squatter, owner] = [await insertedUser(storage), await insertedUser(storage)];
        const orgs = await inParallel(4, () => createdOrg(storage, owner.id, { [squatter.id]: 'admin' }));
        const by = { invitedByUserId: squatter.id };
        for (const { id } of [...orgs, ...orgs]) await storedInvite(storage, id, by);
        await Promise.all([
          storage.users.claim(squatter.id, now),
          ...orgs.map(({ id }) => storage.orgs.delete(id)),
          storage.purgeExpired({ now }),
        ]);
        assert.deepEqual(await storage.orgs.listInvitesOf({ userId: squatter.id, email: null }), []);
      });
    },
  );

  test('one owner remains when two owners are deleted, or leave, in parallel', async (storage) => {
    await inParallel(20, async (index) => {
      const [one, two] = [await insertedUser(storage), await insertedUser(storage)];
      // Two organizations, so that both deletions lock more than one.
      const orgs = [
        await createdOrg(storage, one.id, { [two.id]: 'owner' }),
        await createdOrg(storage, two.id, { [one.id]: 'owner' }),
      ];
      const orgId = orgs[0]?.id ?? '';
      const leave = (userId: string) =>
        storage.orgs.changeMember({ orgId, userId, actingUserId: userId, now }, ({ owners }) => {
          assert.ok(owners > 1);
          return null;
        });
      await Promise.allSettled([
        storage.accounts.deleteUser(one.id, nothing),
        index % 2 ? leave(two.id) : storage.accounts.deleteUser(two.id, nothing),
      ]);
      for (const { id } of orgs) {
        const members = await storage.orgs.listMembers(id);
        assert.ok(members.some(({ role }) => role === 'owner'));
      }
    });
  });

  test('changes in parallel with deleteUser leave no row of the user and do not deadlock', async (storage) => {
    await inParallel(10, async () => {
      const [owner, admin] = [await insertedUser(storage), await insertedUser(storage)];
      const user = await insertedUser(storage, { emailVerified: true });
      const [userId, email] = [user.id, user.email ?? ''];
      const members: Record<string, OrgRole> = { [admin.id]: 'owner' };
      const orgs = await inParallel(2, () => createdOrg(storage, owner.id, members));
      const [org, other] = orgs;
      assert.ok(org && other);
      const { digest } = await storedInvite(storage, org.id, { email, invitedByUserId: admin.id });
      await storedInvite(storage, other.id, { email: owner.email ?? '', invitedByUserId: userId });
      const change = { orgId: org.id, userId, actingUserId: admin.id, now };
      const invite = newInvite(other.id, { email: owner.email ?? '', invitedByUserId: userId });
      const created = newOrg();
      const permitted = await Promise.allSettled([
        storage.orgs.changeMember(change, () => 'admin'),
        accepted(storage, digest, userId, now),
        storage.accounts.deleteUser(userId, nothing),
        storage.orgs.changeMember({ ...change, orgId: other.id }, () => 'member'),
        storage.orgs.insertInvite(invite, randomUUID()),
        storage.accounts.deleteUser(admin.id, nothing),
        storage.orgs.create(created, newMembership(created.id, userId)),
        storage.orgs.changeMember({ ...change, userId: owner.id, actingUserId: userId }, () => 'owner'),
        storage.users.claim(userId, now),
        storage.sessions.revokeAll(userId, now),
        storage.orgs.delete(other.id),
      ]);
      for (const outcome of permitted) {
        if (outcome.status === 'rejected') throw outcome.reason;
      }
      // The new organization may have been created first, so that its last owner could not be
      // deleted.
      if (await storage.orgs.delete(created.id)) await storage.accounts.deleteUser(userId, nothing);
      assert.equal(await storage.users.findById(userId), null);
      assert.deepEqual(await storage.orgs.listForUser(userId), []);
      assert.deepEqual(await storage.orgs.listInvitesOf({ userId, email }), []);
      assert.equal(await storage.orgs.roleOf(org.id, owner.id), 'owner');
    });
  });
}
