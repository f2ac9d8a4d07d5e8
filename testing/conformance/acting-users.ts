/** Changes of a user by another one, who is checked under a lock. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredUser } from '../../src/domain/user.js';
import type { ActingUser } from '../../src/storage/acting-user.js';
import {
  confirmedTotp,
  createdOrg,
  insertedApiKey,
  insertedCredential,
  insertedFamily,
} from './pro-records.js';
import {
  after,
  type Capability,
  inParallel,
  insertedUser,
  newIdentity,
  now,
  type RegisterConformanceTest,
  startedSession,
  testsRequiring,
  type With,
} from './suite.js';
import { insertedAdministered, newAdministered } from './user-lists.js';

type Storage = With<Capability>;
type Change = (by: ActingUser) => Promise<unknown>;

interface Verb {
  needs: Capability[];
  /** Returns a change that has an effect on the user, and what it changes. */
  prepare: (storage: Storage, userId: string) => Promise<{ change: Change; state: () => Promise<unknown> }>;
}

const findUser = (storage: Storage, id: string) => () => storage.userAdministration.find({ id });

const verbs: Record<string, Verb> = {
  'userAdministration.insert': {
    needs: ['userAdministration'],
    async prepare(storage) {
      const user = newAdministered();
      const change: Change = (by) => storage.userAdministration.insert(user, by);
      return { change, state: findUser(storage, user.id) };
    },
  },
  'userAdministration.update': {
    needs: ['userAdministration'],
    async prepare(storage, id) {
      const change: Change = (by) =>
        storage.userAdministration.update(id, after(5), () => ({ roles: ['changed'] }), by);
      return { change, state: findUser(storage, id) };
    },
  },
  'userAdministration.setPassword': {
    needs: ['userAdministration'],
    async prepare(storage, id) {
      const change: Change = (by) => storage.userAdministration.setPassword(id, 'hash', after(5), by);
      return { change, state: findUser(storage, id) };
    },
  },
  'userAdministration.block': {
    needs: ['userAdministration'],
    async prepare(storage, id) {
      const block = { at: after(5), until: null, reason: null };
      const change: Change = (by) => storage.userAdministration.block(id, block, by);
      return { change, state: findUser(storage, id) };
    },
  },
  'userAdministration.unblock': {
    needs: ['userAdministration'],
    async prepare(storage, id) {
      await storage.userAdministration.block(id, { at: after(5), until: null, reason: null });
      const change: Change = (by) => storage.userAdministration.unblock(id, after(6), by);
      return { change, state: findUser(storage, id) };
    },
  },
  'sessions.revokeAll': {
    needs: [],
    async prepare(storage, id) {
      await startedSession(storage, id);
      const change: Change = (by) => storage.sessions.revokeAll(id, after(5), by);
      return { change, state: () => storage.sessions.listLive(id, now) };
    },
  },
  'sessions.revoke': {
    needs: [],
    async prepare(storage, id) {
      const session = await startedSession(storage, id);
      const change: Change = (by) => storage.sessions.revoke(session.id, after(5), id, by);
      return { change, state: () => storage.sessions.listLive(id, now) };
    },
  },
  'refreshFamilies.revoke': {
    needs: ['refreshFamilies'],
    async prepare(storage, id) {
      const family = await insertedFamily(storage, id);
      const change: Change = (by) => storage.refreshFamilies.revoke(family.id, after(5), id, by);
      return { change, state: () => storage.refreshFamilies.listLive(id, now) };
    },
  },
  'identities.unlink': {
    needs: [],
    async prepare(storage, id) {
      const identity = newIdentity(id);
      assert.equal(await storage.identities.link(identity, 0), true);
      const change: Change = (by) => storage.identities.unlink(id, identity.id, () => true, by);
      return { change, state: () => storage.identities.listForUser(id) };
    },
  },
  'credentials.remove': {
    needs: ['credentials'],
    async prepare(storage, id) {
      const credential = await insertedCredential(storage, id);
      const change: Change = (by) => storage.credentials.remove(id, credential.id, undefined, by);
      return { change, state: () => storage.credentials.listForUser(id) };
    },
  },
  'apiKeys.revoke': {
    needs: ['apiKeys'],
    async prepare(storage, id) {
      const key = await insertedApiKey(storage, { userId: id });
      const change: Change = (by) => storage.apiKeys.revoke(key.id, after(5), { userId: id, by });
      return { change, state: () => storage.apiKeys.list({ userId: id }) };
    },
  },
  'orgs.changeMember': {
    needs: ['orgs'],
    async prepare(storage, id) {
      const owner = await insertedUser(storage);
      const org = await createdOrg(storage, owner.id, { [id]: 'member' });
      const change: Change = (by) =>
        storage.orgs.changeMember({ orgId: org.id, userId: id, now, by }, () => null);
      return { change, state: () => storage.orgs.listForUser(id) };
    },
  },
  'totp.disable': {
    needs: ['totp'],
    async prepare(storage, id) {
      await confirmedTotp(storage, id);
      const change: Change = (by) => storage.totp.disable(id, after(5), undefined, by);
      return { change, state: () => storage.totp.find(id) };
    },
  },
  'accounts.deleteUser': {
    needs: ['accounts'],
    async prepare(storage, id) {
      const change: Change = (by) => storage.accounts.deleteUser(id, () => Promise.resolve(), undefined, by);
      return { change, state: () => storage.users.findById(id) };
    },
  },
};

const refusal = new Error('refused');
const isRefusal = (error: unknown) => error === refusal;

/** Returns an actor who must still have the epoch. */
function withEpoch(userId: string, epoch: number): ActingUser {
  return {
    userId,
    decide(user) {
      if (user?.epoch !== epoch) throw refusal;
    },
  };
}

export function describeActingUsers(register: RegisterConformanceTest): void {
  for (const [name, { needs, prepare }] of Object.entries(verbs)) {
    const test = testsRequiring(register, ...needs);

    test(`${name} passes the acting user to decide, and changes something only if it allows`, async (storage) => {
      const [subject, acting] = [await insertedUser(storage), await insertedUser(storage)];
      const { change, state } = await prepare(storage, subject.id);
      const before = await state();
      const received: (StoredUser | null)[] = [];
      for (const userId of [acting.id, randomUUID(), 'malformed']) {
        const decide = (user: StoredUser | null) => {
          received.push(user);
          throw refusal;
        };
        await assert.rejects(change({ userId, decide }), isRefusal);
        assert.deepEqual(await state(), before);
      }
      assert.deepEqual(received, [acting, null, null]);
      await change(withEpoch(acting.id, 0));
      assert.notDeepEqual(await state(), before);
    });

    test(`${name} by the user who is changed passes that user to decide`, async (storage) => {
      const subject = await insertedUser(storage);
      const { change, state } = await prepare(storage, subject.id);
      const { epoch } = (await storage.users.findById(subject.id)) ?? subject;
      const before = await state();
      await assert.rejects(change(withEpoch(subject.id, epoch + 1)), isRefusal);
      assert.deepEqual(await state(), before);
      await change(withEpoch(subject.id, epoch));
      assert.notDeepEqual(await state(), before);
    });

    test(`${name} does nothing after a revocation of the acting user's sessions, however they overlap`, async (storage) => {
      const acting = await insertedUser(storage);
      const prepared = await inParallel(10, async () => {
        const subject = await insertedUser(storage);
        return prepare(storage, subject.id);
      });
      const ends: string[] = [];
      await Promise.all([
        ...prepared.map(async ({ change }) => {
          const outcome = await change(withEpoch(acting.id, 0)).then(
            () => 'changed',
            (error: unknown) => (isRefusal(error) ? 'refused' : String(error)),
          );
          ends.push(outcome);
        }),
        storage.sessions.revokeAll(acting.id, after(1)),
      ]);
      assert.deepEqual(
        ends.filter((outcome) => outcome !== 'changed' && outcome !== 'refused'),
        [],
      );
      const subject = await insertedUser(storage);
      const late = await prepare(storage, subject.id);
      await assert.rejects(late.change(withEpoch(acting.id, 0)), isRefusal);
    });
  }

  const test = testsRequiring(register, 'userAdministration');

  test('of two users who block each other at the same time, exactly one succeeds', async (storage) => {
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = [await insertedAdministered(storage), await insertedAdministered(storage)];
      const block = (id: string, by: string) =>
        storage.userAdministration
          .block(id, { at: after(5), until: null, reason: null }, withEpoch(by, 0))
          .then(
            () => 'blocked',
            (error: unknown) => (isRefusal(error) ? 'refused' : String(error)),
          );
      const outcomes = await Promise.all([block(one.id, other.id), block(other.id, one.id)]);
      assert.deepEqual(outcomes.sort(), ['blocked', 'refused']);
    }
  });
}
