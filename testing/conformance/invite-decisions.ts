/** The rules on invites and new organizations that the engine passes to the storage. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { InviteState } from '../../src/domain/org-invite.js';
import { accepted, createdOrg, newApiKey, newMembership, newOrg, storedInvite } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  type With,
} from './suite.js';

async function invitation(storage: With<'orgs'>) {
  const inviter = await insertedUser(storage, { emailVerified: true });
  const user = await insertedUser(storage, { emailVerified: true });
  const org = await createdOrg(storage, inviter.id);
  const wanted = { email: user.email ?? '', role: 'admin', invitedByUserId: inviter.id } as const;
  return { inviter, user, org, ...(await storedInvite(storage, org.id, wanted)) };
}

export function describeInviteDecisions(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'orgs');

  test('acceptInvite passes the state to decide and stores the role that it returns', async (storage) => {
    const { user, org, invite, digest } = await invitation(storage);
    await storage.orgs.changeMember({ orgId: org.id, userId: user.id, now }, () => 'member');
    const states: InviteState[] = [];
    const outcome = await storage.orgs.acceptInvite(digest, user.id, after(5), (state) => {
      states.push(state);
      return 'owner';
    });
    const membership = newMembership(org.id, user.id, 'owner');
    assert.deepEqual(outcome, { status: 'accepted', membership, previousRole: 'member' });
    const [state] = states;
    assert.ok(state && states.length === 1);
    assert.deepEqual(
      [state.invite, state.inviterRole, state.currentRole, state.user.email, state.user.emailVerified],
      [invite, 'owner', 'member', user.email, true],
    );
    assert.equal(state.isInviterUnverified, false);
  });

  test('acceptInvite passes to decide whether the inviter has an unverified address', async (storage) => {
    const [unverified, without] = [await insertedUser(storage), await insertedUser(storage, { email: null })];
    const { user, org } = await invitation(storage);
    for (const [invitedByUserId, expected] of [
      [unverified.id, true],
      [without.id, false],
      [null, false],
    ] as const) {
      const { digest } = await storedInvite(storage, org.id, { invitedByUserId });
      await storage.orgs.acceptInvite(digest, user.id, now, ({ isInviterUnverified }) => {
        assert.equal(isInviterUnverified, expected);
        return 'member';
      });
    }
  });

  test('acceptInvite rethrows the error of decide, and the invite stays pending', async (storage) => {
    const { user, org, digest } = await invitation(storage);
    for (const error of [new Error('mine'), 'no error at all', undefined]) {
      const [settled] = await Promise.allSettled([
        storage.orgs.acceptInvite(digest, user.id, now, () => {
          throw error as Error;
        }),
      ]);
      assert.equal(settled.status === 'rejected' && settled.reason, error);
    }
    assert.equal(await storage.orgs.roleOf(org.id, user.id), null);
    assert.equal((await accepted(storage, digest, user.id, now)).status, 'accepted');
  });

  test('acceptInvite does not call decide for an unknown or accepted invite or an unknown user', async (storage) => {
    const { user, digest } = await invitation(storage);
    const never = () => assert.fail('decide was called');
    const accept = (of: string, userId: string) => storage.orgs.acceptInvite(of, userId, now, never);
    assert.deepEqual(await accept(digest, randomUUID()), { status: 'no_user' });
    assert.deepEqual(await accept(randomUUID(), user.id), { status: 'invalid' });
    await storage.orgs.acceptInvite(digest, user.id, now, () => 'member');
    assert.deepEqual(await accept(digest, user.id), { status: 'invalid' });
  });

  test('only one of 50 parallel acceptances that decide allows succeeds', async (storage) => {
    const { user, digest } = await invitation(storage);
    const results = await inParallel(50, () =>
      storage.orgs.acceptInvite(digest, user.id, now, () => 'member'),
    );
    assert.equal(results.filter(({ status }) => status === 'accepted').length, 1);
  });

  test('findInvite returns an invite with its organization and its inviter', async (storage) => {
    const { inviter, user, org, invite, digest } = await invitation(storage);
    const presented = { inviterRole: 'owner', isInviterUnverified: false };
    const details = { invite, ...presented, org, inviterEmail: inviter.email };
    assert.deepEqual(await storage.orgs.findInvite(digest), details);
    await accepted(storage, digest, user.id, after(5));
    const used = { ...invite, acceptedAt: after(5) };
    assert.deepEqual(await storage.orgs.findInvite(digest), { ...details, invite: used });
    const unverified = await insertedUser(storage);
    const byUnverified = await storedInvite(storage, org.id, { invitedByUserId: unverified.id });
    const bySystem = await storedInvite(storage, org.id);
    for (const { invite: sent, digest: of } of [byUnverified, bySystem]) {
      const found = await storage.orgs.findInvite(of);
      const isInviterUnverified = sent.invitedByUserId !== null;
      assert.deepEqual(found, {
        invite: sent,
        inviterRole: null,
        isInviterUnverified,
        org,
        inviterEmail: null,
      });
    }
    await storage.orgs.revokeInvite({ orgId: org.id, inviteId: bySystem.invite.id, now });
    for (const odd of [bySystem.digest, randomUUID(), '', '\ud800']) {
      assert.equal(await storage.orgs.findInvite(odd), null);
    }
  });

  test('orgs.create stores an organization only if its owner meets the requirements', async (storage) => {
    const verified = await insertedUser(storage, { emailVerified: true });
    const unverified = await insertedUser(storage);
    const without = await insertedUser(storage, { email: null });
    const create = (userId: string, requires: { epoch?: number; verified?: boolean }) => {
      const org = newOrg();
      return storage.orgs.create(org, newMembership(org.id, userId), requires);
    };
    assert.equal(await create(unverified.id, { verified: true }), 'unverified');
    assert.equal(await create(verified.id, { epoch: 1 }), 'epoch_moved');
    assert.equal(await create(unverified.id, { epoch: 1, verified: true }), 'epoch_moved');
    assert.equal(await create(randomUUID(), { epoch: 0, verified: true }), 'no_user');
    for (const { id } of [verified, unverified]) assert.deepEqual(await storage.orgs.listForUser(id), []);
    assert.equal(await create(unverified.id, { verified: false }), 'created');
    for (const { id } of [verified, without]) {
      assert.equal(await create(id, { epoch: 0, verified: true }), 'created');
    }
  });

  testsRequiring(register, 'apiKeys')(
    'apiKeys.insert stores a key only if its owner meets the requirements',
    async (storage) => {
      const verified = await insertedUser(storage, { emailVerified: true });
      const unverified = await insertedUser(storage);
      const without = await insertedUser(storage, { email: null });
      const insert = (userId: string, epoch = 0) =>
        storage.apiKeys.insert(newApiKey({ userId }), epoch, { verified: true });
      assert.equal(await insert(unverified.id), 'unverified');
      assert.equal(await insert(unverified.id, 1), 'epoch_moved');
      assert.deepEqual(await storage.apiKeys.list({ userId: unverified.id }), []);
      for (const { id } of [verified, without]) assert.equal(await insert(id), 'inserted');
    },
  );

  testsRequiring(
    register,
    'orgs',
    'apiKeys',
  )('apiKeys.insert passes the acting user to decide as read under the lock', async (storage) => {
    const admin = await insertedUser(storage);
    const { id: orgId } = await createdOrg(storage, admin.id);
    await storage.sessions.revokeAll(admin.id, now);
    const received: unknown[] = [];
    const insert = (userId: string) =>
      storage.apiKeys.insert(newApiKey({ orgId }), null, {
        actor: {
          userId,
          decide: (role, user) => void received.push([role, user && [user.id, user.epoch, user.email]]),
        },
      });
    assert.equal(await insert(admin.id), 'inserted');
    assert.equal(await insert(randomUUID()), 'inserted');
    assert.deepEqual(received, [
      ['owner', [admin.id, 1, admin.email]],
      [null, null],
    ]);
  });
}
