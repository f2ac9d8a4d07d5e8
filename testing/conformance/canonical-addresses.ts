import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isServiceError } from '../../src/errors/service-error.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { createdOrg, insertedGuest, newInvite, newUpgrade } from './pro-records.js';
import {
  insertedUser,
  newIdentity,
  newSession,
  newUser,
  now,
  type RegisterConformanceTest,
  testsRequiring,
} from './suite.js';

/**
 * An address must be stored in canonical form, because no sign-in could find it in another form.
 */
export function describeCanonicalAddresses(test: RegisterConformanceTest): void {
  const local = () => randomUUID();
  const malformed = () => [
    `${local().toUpperCase()}@example.test`,
    ` ${local()}@example.test`,
    `${local()}@b\u00fccher.test`,
    `${local()}@example`,
    `${local()}, ${local()}@example.test`,
    `${local()}\0@example.test`,
    local(),
    '',
  ];

  async function refuses(write: (email: string) => Promise<unknown>, storage: StorageAdapter): Promise<void> {
    for (const email of malformed()) {
      await assert.rejects(
        () => write(email),
        (error) => isServiceError(error) && error.code === 'invalid_request',
      );
      assert.equal(await storage.users.findByEmail(email), null);
    }
  }

  test('users.insert rejects an address that is not canonical', async (storage) => {
    await refuses((email) => storage.users.insert(newUser({ email })), storage);
  });

  test('sessions.startWithUser rejects an address that is not canonical', async (storage) => {
    const start = async (email: string) => {
      const user = newUser({ email });
      const session = newSession(user.id);
      await storage.sessions.startWithUser(session, user).finally(async () => {
        assert.equal(await storage.sessions.findWithUser(session.id), null);
      });
    };
    await refuses(start, storage);
  });

  test('identities.insertWithUser rejects an address that is not canonical', async (storage) => {
    const insert = async (email: string) => {
      const user = newUser({ email });
      const identity = newIdentity(user.id);
      await storage.identities.insertWithUser(identity, user).finally(async () => {
        const { provider, providerAccountId } = identity;
        assert.equal(await storage.identities.findUser(provider, providerAccountId), null);
      });
    };
    await refuses(insert, storage);
  });

  testsRequiring(test, 'guests')(
    'guests.upgrade rejects an address that is not canonical',
    async (storage) => {
      const { id } = await insertedGuest(storage);
      await refuses((email) => storage.guests.upgrade(newUpgrade(id, { email })), storage);
      assert.equal(await storage.guests.isGuest(id), true);
    },
  );

  testsRequiring(test, 'accounts')(
    'accounts.changeEmail rejects an address that is not canonical',
    async (storage) => {
      const user = await insertedUser(storage);
      const change = { userId: user.id, epoch: 0, now };
      await refuses((email) => storage.accounts.changeEmail({ ...change, email }), storage);
      assert.deepEqual(await storage.users.findById(user.id), user);
    },
  );

  testsRequiring(test, 'orgs')(
    'orgs.insertInvite rejects an address that is not canonical',
    async (storage) => {
      const { id: orgId } = await createdOrg(storage, (await insertedUser(storage)).id);
      await refuses((email) => storage.orgs.insertInvite(newInvite(orgId, { email }), randomUUID()), storage);
      assert.deepEqual(await storage.orgs.listPendingInvites(orgId, now), []);
    },
  );
}
