/** Changes that depend on the acting user's role, and their races with the removal of that user. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mustBe, type OrgRole } from '../../src/domain/org.js';
import { isServiceError } from '../../src/errors/service-error.js';
import type { OrgActor } from '../../src/storage/org-repository.js';
import { createdOrg, insertedApiKey, newApiKey, newInvite, storedInvite } from './pro-records.js';
import {
  after,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
  type With,
} from './suite.js';

const asAdmin = (userId: string): OrgActor<unknown> => ({ userId, decide: (role) => mustBe('admin', role) });

const isRefused = (error: unknown) => isServiceError(error) && error.code === 'not_authorized';

const refusal = new Error('refused');
const isRefusal = (error: unknown) => error === refusal;

/** Returns an actor that allows everything and records the roles that it receives. */
function recordingActor(userId: string, roles: (OrgRole | null)[]): OrgActor<unknown> {
  return { userId, decide: (role) => void roles.push(role) };
}

async function scene(storage: With<'orgs'>) {
  const [owner, admin, stranger] = await inParallel(3, () => insertedUser(storage));
  assert.ok(owner && admin && stranger);
  const { id: orgId } = await createdOrg(storage, owner.id, { [admin.id]: 'admin' });
  await createdOrg(storage, stranger.id);
  const removeAdmin = () => storage.orgs.changeMember({ orgId, userId: admin.id, now }, () => null);
  return { owner, admin, stranger, orgId, removeAdmin };
}

export function describeOrgActors(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'orgs');
  const keyTest = testsRequiring(register, 'orgs', 'apiKeys');

  test("delete of an organization passes the actor's role to decide and deletes only if it allows", async (storage) => {
    const { owner, admin, stranger, orgId } = await scene(storage);
    const roles: (OrgRole | null)[] = [];
    for (const { id: userId } of [admin, stranger]) {
      const decide = (role: OrgRole | null) => {
        roles.push(role);
        mustBe('owner', role);
      };
      await assert.rejects(storage.orgs.delete(orgId, { userId, decide }), isRefused);
    }
    assert.notEqual(await storage.orgs.findById(orgId), null);
    assert.equal(await storage.orgs.delete(orgId, recordingActor(owner.id, roles)), true);
    assert.equal(await storage.orgs.findById(orgId), null);
    for (const gone of [orgId, randomUUID(), 'malformed']) {
      assert.equal(await storage.orgs.delete(gone, recordingActor(owner.id, roles)), false);
    }
    assert.deepEqual(roles, ['admin', null, 'owner', null, null, null]);
  });

  test('only one of 20 parallel deletions by an owner succeeds, and none by a former owner', async (storage) => {
    const { owner, admin, orgId } = await scene(storage);
    await storage.orgs.changeMember({ orgId, userId: admin.id, now }, () => 'owner');
    await storage.orgs.changeMember({ orgId, userId: owner.id, now }, () => 'admin');
    const asOwner = ({ id: userId }: { id: string }): OrgActor<unknown> => ({
      userId,
      decide: (role) => mustBe('owner', role),
    });
    await assert.rejects(storage.orgs.delete(orgId, asOwner(owner)), isRefused);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => storage.orgs.delete(orgId, asOwner(admin))),
    );
    // The second caller is no longer a member, because the organization is deleted.
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  keyTest('a key of an organization is made by whom decide lets', async (storage) => {
    const { owner, admin, stranger, orgId } = await scene(storage);
    const roles: (OrgRole | null)[] = [];
    const key = newApiKey({ orgId });
    for (const { id } of [stranger, { id: 'malformed' }]) {
      await assert.rejects(storage.apiKeys.insert(key, null, { actor: asAdmin(id) }), isRefused);
    }
    assert.equal(await storage.apiKeys.findById(key.id), null);
    assert.equal(
      await storage.apiKeys.insert(key, null, { actor: recordingActor(admin.id, roles) }),
      'inserted',
    );
    assert.deepEqual(await storage.apiKeys.findById(key.id), key);
    for (const gone of [randomUUID(), 'malformed']) {
      const orphan = newApiKey({ orgId: gone });
      assert.equal(
        await storage.apiKeys.insert(orphan, null, { actor: recordingActor(owner.id, roles) }),
        'no_owner',
      );
    }
    assert.deepEqual(roles, ['admin', null, null]);
  });

  keyTest('an actor is not calls about a key of a user', async (storage) => {
    const { admin } = await scene(storage);
    const calls: OrgActor<unknown> = { userId: admin.id, decide: () => assert.fail('calls') };
    const key = newApiKey({ userId: admin.id });
    assert.equal(await storage.apiKeys.insert(key, 0, { actor: calls }), 'inserted');
  });

  keyTest('an actor ends keys of that organization alone, where decide lets them', async (storage) => {
    const { admin, stranger, orgId } = await scene(storage);
    const other = await createdOrg(storage, stranger.id);
    const key = await insertedApiKey(storage, { orgId });
    const ofUser = await insertedApiKey(storage, { userId: admin.id });
    const ofOther = await insertedApiKey(storage, { orgId: other.id });
    const end = (id: string, actor: OrgActor) => storage.apiKeys.revoke(id, after(5), { orgId, actor });
    for (const id of [key.id, randomUUID(), 'malformed']) {
      await assert.rejects(end(id, asAdmin(stranger.id)), isRefused);
    }
    for (const { id } of [ofUser, ofOther, { id: randomUUID() }, { id: 'malformed' }]) {
      assert.equal(await end(id, asAdmin(admin.id)), null);
    }
    for (const untouched of [key, ofUser, ofOther]) {
      assert.equal((await storage.apiKeys.findById(untouched.id))?.revokedAt, null);
    }
    const results = await inParallel(20, () => end(key.id, asAdmin(admin.id)));
    const ended = results.filter((result) => result !== null);
    assert.deepEqual(
      ended.map(({ id, revokedAt }) => ({ id, revokedAt })),
      [{ id: key.id, revokedAt: after(5) }],
    );
  });

  testsRequiring(
    register,
    'orgs',
    'apiKeys',
  )(
    'delete, insert and revoke pass the acting user to decide as read under the lock, and change nothing if it throws',
    async (storage) => {
      const { owner, orgId } = await scene(storage);
      const { invite } = await storedInvite(storage, orgId);
      const key = await insertedApiKey(storage, { orgId });
      await storage.sessions.revokeAll(owner.id, now);
      const expected = await storage.users.findById(owner.id);
      assert.equal(expected?.epoch, 1);
      const received: unknown[] = [];
      const refusing = (userId: string): OrgActor<unknown> => ({
        userId,
        decide(_, user) {
          received.push(user);
          throw refusal;
        },
      });
      for (const [userId, user] of [
        [owner.id, expected],
        [randomUUID(), null],
        ['malformed', null],
      ] as const) {
        const actor = refusing(userId);
        const newKey = newApiKey({ orgId });
        const attempts = [
          () => storage.orgs.delete(orgId, actor),
          () => storage.orgs.insertInvite(newInvite(orgId), randomUUID(), actor),
          () => storage.orgs.revokeInvite({ orgId, inviteId: invite.id, now }, actor),
          () => storage.apiKeys.insert(newKey, null, { actor }),
          () => storage.apiKeys.revoke(key.id, now, { orgId, actor }),
        ];
        for (const attempt of attempts) await assert.rejects(attempt, isRefusal);
        assert.deepEqual(received.splice(0), Array(attempts.length).fill(user));
        assert.equal(await storage.apiKeys.findById(newKey.id), null);
      }
      assert.deepEqual(await storage.orgs.listPendingInvites(orgId, now), [invite]);
      assert.deepEqual(await storage.apiKeys.findById(key.id), key);
    },
  );

  testsRequiring(register, 'apiKeys')(
    'apiKeys.revoke passes the user to decide and revokes only if it allows',
    async (storage) => {
      const user = await insertedUser(storage);
      const key = await insertedApiKey(storage, { userId: user.id });
      const received: unknown[] = [];
      const revoke = (userId: string, error?: Error) =>
        storage.apiKeys.revoke(key.id, now, {
          userId,
          decide(found) {
            received.push(found);
            if (error) throw error;
          },
        });
      await assert.rejects(revoke(user.id, refusal), isRefusal);
      for (const none of [randomUUID(), 'malformed']) assert.equal(await revoke(none), null);
      assert.deepEqual(await storage.apiKeys.findById(key.id), key);
      assert.equal((await revoke(user.id))?.id, key.id);
      assert.deepEqual(received, [user, null, null, user]);
    },
  );

  keyTest('of 50 keys that admins make while they are removed none is made later', async (storage) => {
    await inParallel(10, async () => {
      const { admin, orgId, removeAdmin } = await scene(storage);
      const make = () => storage.apiKeys.insert(newApiKey({ orgId }), null, { actor: asAdmin(admin.id) });
      const before = [make(), make()];
      const removal = removeAdmin().then(() => storage.apiKeys.list({ orgId }));
      const outcomes = await Promise.allSettled([...before, make(), make(), make()]);
      for (const each of outcomes) assert.ok(each.status === 'fulfilled' || isRefused(each.reason));
      const made = outcomes.filter(({ status }) => status === 'fulfilled').length;
      // An allowed actor's transaction delays the removal until the key is stored.
      assert.equal((await removal).length, made);
      assert.equal((await storage.apiKeys.list({ orgId })).length, made);
      await assert.rejects(make(), isRefused);
    });
  });
}
