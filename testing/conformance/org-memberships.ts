import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  addMember,
  changeRole,
  type MembershipState,
  type OrgRole,
  removeMember,
} from '../../src/domain/org.js';
import { isServiceError } from '../../src/errors/service-error.js';
import { createdOrg, insertedGuest, newMembership } from './pro-records.js';
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

export function describeOrgMemberships(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'orgs');

  test('changeMember adds a member, changes the role, removes the member, and returns the previous role', async (storage) => {
    const [owner, user] = [await insertedUser(storage), await insertedUser(storage)];
    const { id: orgId } = await createdOrg(storage, owner.id);
    const change = { orgId, userId: user.id };
    const added = await storage.orgs.changeMember({ ...change, now: after(5) }, () => 'member');
    const member = { ...newMembership(orgId, user.id, 'member'), createdAt: after(5) };
    assert.deepEqual(added, { membership: member, previousRole: null });
    const raised = await storage.orgs.changeMember({ ...change, now: after(9) }, () => 'admin');
    assert.deepEqual(raised, { membership: { ...member, role: 'admin' }, previousRole: 'member' });
    assert.equal(await storage.orgs.roleOf(orgId, user.id), 'admin');
    const removed = await storage.orgs.changeMember({ ...change, now }, () => null);
    assert.deepEqual(removed, { membership: null, previousRole: 'admin' });
    assert.equal(await storage.orgs.roleOf(orgId, user.id), null);
    const again = await storage.orgs.changeMember({ ...change, now }, () => null);
    assert.deepEqual(again, { membership: null, previousRole: null });
    assert.equal(await storage.orgs.roleOf(orgId, owner.id), 'owner');
    assert.equal(await storage.orgs.roleOf(randomUUID(), owner.id), null);
  });

  test('changeMember passes the state of the membership to decide', async (storage) => {
    const [owner, admin, stranger] = await inParallel(3, () =>
      insertedUser(storage, { emailVerified: true }),
    );
    assert.ok(owner && admin && stranger);
    const { id: orgId } = await createdOrg(storage, owner.id, { [admin.id]: 'admin' });
    await createdOrg(storage, stranger.id, { [admin.id]: 'owner' });
    const stateOf = async (userId: string, actingUserId?: string) => {
      const states: MembershipState[] = [];
      const keep = (state: MembershipState): OrgRole | null => {
        states.push(state);
        return state.current;
      };
      await storage.orgs.changeMember({ orgId, userId, actingUserId, now }, keep);
      assert.equal(states.length, 1);
      return states[0];
    };
    const state = {
      current: null,
      acting: undefined,
      isSelf: false,
      owners: 1,
      isGuest: false,
      isActingUnverified: false,
      actingEpoch: null,
    };
    const acts = { ...state, actingEpoch: 0 };
    assert.deepEqual(await stateOf(stranger.id), state);
    assert.deepEqual(await stateOf(admin.id), { ...state, current: 'admin' });
    assert.deepEqual(await stateOf(admin.id, owner.id), { ...acts, current: 'admin', acting: 'owner' });
    assert.deepEqual(await stateOf(stranger.id, admin.id), { ...acts, acting: 'admin' });
    assert.deepEqual(await stateOf(owner.id, stranger.id), { ...acts, current: 'owner', acting: null });
    for (const nobody of [randomUUID(), 'malformed']) {
      assert.deepEqual(await stateOf(owner.id, nobody), { ...state, current: 'owner', acting: null });
    }
    const own = { ...acts, current: 'owner', acting: 'owner', isSelf: true };
    assert.deepEqual(await stateOf(owner.id, owner.id), own);
    await storage.orgs.changeMember({ orgId, userId: admin.id, now }, () => 'owner');
    assert.deepEqual(await stateOf(owner.id, owner.id), { ...own, owners: 2 });
    const unverified = await insertedUser(storage);
    const byUnverified = { ...acts, owners: 2, acting: null, isActingUnverified: true };
    assert.deepEqual(await stateOf(stranger.id, unverified.id), byUnverified);
    const without = await insertedUser(storage, { email: null });
    assert.deepEqual(await stateOf(stranger.id, without.id), { ...acts, owners: 2, acting: null });
    await storage.sessions.revokeAll(admin.id, now);
    const byAdmin = { ...acts, owners: 2, acting: 'owner', actingEpoch: 1 };
    assert.deepEqual(await stateOf(stranger.id, admin.id), byAdmin);
  });

  testsRequiring(
    register,
    'orgs',
    'guests',
  )('changeMember passes to decide that the user is a guest', async (storage) => {
    const [owner, guest] = [await insertedUser(storage), await insertedGuest(storage)];
    const { id: orgId } = await createdOrg(storage, owner.id);
    const states: MembershipState[] = [];
    await storage.orgs.changeMember({ orgId, userId: guest.id, now }, (state) => {
      states.push(state);
      return 'member';
    });
    assert.deepEqual(
      states.map(({ isGuest }) => isGuest),
      [true],
    );
  });

  test('changeMember does not call decide for an unknown organization or user', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id: orgId } = await createdOrg(storage, userId);
    const decide = (): OrgRole => assert.fail('asked');
    const change = { orgId, userId, now };
    assert.equal(await storage.orgs.changeMember({ ...change, orgId: randomUUID() }, decide), 'no_org');
    assert.equal(await storage.orgs.changeMember({ ...change, userId: randomUUID() }, decide), 'no_user');
  });

  test('changeMember changes nothing and rethrows the error if decide throws', async (storage) => {
    const { id: userId } = await insertedUser(storage);
    const { id: orgId } = await createdOrg(storage, userId);
    for (const error of [new Error('mine'), new TypeError('mine'), 'no error at all', undefined]) {
      const outcome = storage.orgs.changeMember({ orgId, userId, now }, () => {
        throw error as Error;
      });
      const [settled] = await Promise.allSettled([outcome]);
      assert.equal(settled.status === 'rejected' && settled.reason, error);
    }
    const lastOwner = storage.orgs.changeMember({ orgId, userId, now }, removeMember);
    await assert.rejects(lastOwner, (error) => isServiceError(error) && error.code === 'org_error');
    assert.equal(await storage.orgs.roleOf(orgId, userId), 'owner');
  });

  test('listMembers and listForUser return memberships oldest first', async (storage) => {
    const [owner, newer, older] = await inParallel(3, () => insertedUser(storage));
    assert.ok(owner && newer && older);
    const { id: orgId } = await createdOrg(storage, owner.id);
    const { id: otherId } = await createdOrg(storage, owner.id);
    const join = (org: string, userId: string, ms: number) =>
      storage.orgs.changeMember({ orgId: org, userId, now: after(ms) }, () => 'member');
    await join(orgId, newer.id, 9);
    await join(orgId, older.id, 5);
    await join(otherId, newer.id, 3);
    const members = await storage.orgs.listMembers(orgId);
    assert.deepEqual(
      members.map(({ userId }) => userId),
      [owner.id, older.id, newer.id],
    );
    const memberships = await storage.orgs.listForUser(newer.id);
    assert.deepEqual(
      memberships.map((membership) => membership.orgId),
      [otherId, orgId],
    );
    assert.deepEqual(await storage.orgs.listMembers(randomUUID()), []);
    assert.deepEqual(await storage.orgs.listForUser(randomUUID()), []);
  });

  test('only one of 50 parallel additions of a user succeeds', async (storage) => {
    const [owner, user] = [await insertedUser(storage), await insertedUser(storage)];
    const { id: orgId } = await createdOrg(storage, owner.id);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        storage.orgs.changeMember({ orgId, userId: user.id, now }, (state) =>
          addMember(state, 'member', false),
        ),
      ),
    );
    assert.deepEqual(tally(outcomes.map(({ status }) => status)), { fulfilled: 1, rejected: 49 });
    assert.equal((await storage.orgs.listMembers(orgId)).length, 2);
  });

  const losses: Record<string, (state: MembershipState) => OrgRole | null> = {
    'demote each other': (state) => changeRole(state, 'member', false),
    'remove each other': removeMember,
  };
  for (const [action, decide] of Object.entries(losses)) {
    test(`one owner remains when two owners ${action} in parallel`, async (storage) => {
      await inParallel(20, async () => {
        const [one, two] = [await insertedUser(storage), await insertedUser(storage)];
        const { id: orgId } = await createdOrg(storage, one.id, { [two.id]: 'owner' });
        await Promise.allSettled([
          storage.orgs.changeMember({ orgId, userId: one.id, actingUserId: two.id, now }, decide),
          storage.orgs.changeMember({ orgId, userId: two.id, actingUserId: one.id, now }, decide),
        ]);
        assert.equal(await countOwners(storage, orgId), 1);
      });
    });
  }

  test('one owner remains when 50 owners leave in parallel', async (storage) => {
    const owners = await inParallel(50, () => insertedUser(storage));
    const [first, ...others] = owners.map(({ id }) => id);
    const { id: orgId } = await createdOrg(
      storage,
      first ?? '',
      Object.fromEntries(others.map((id): [string, OrgRole] => [id, 'owner'])),
    );
    const outcomes = await Promise.allSettled(
      owners.map(({ id: userId }) =>
        storage.orgs.changeMember({ orgId, userId, actingUserId: userId, now }, removeMember),
      ),
    );
    assert.deepEqual(tally(outcomes.map(({ status }) => status)), { fulfilled: 49, rejected: 1 });
    assert.equal(await countOwners(storage, orgId), 1);
  });
}

async function countOwners(storage: With<'orgs'>, orgId: string): Promise<number> {
  const members = await storage.orgs.listMembers(orgId);
  return members.filter(({ role }) => role === 'owner').length;
}
