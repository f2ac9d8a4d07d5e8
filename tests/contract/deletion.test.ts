/**
 * Deletion of an account in the database: no trace in any column, in one transaction with the
 * application's own rows.
 */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { pgliteAdapter } from '../../src/adapters/postgres/pglite-adapter.js';
import { database as databaseOf } from '../../src/adapters/postgres/database.js';
import { tables } from '../../src/adapters/postgres/migrations/migrate.js';
import { statementsIn } from '../../src/adapters/postgres/statements.js';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { newCredential } from '../../testing/conformance/pro-records.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';
import { tablesContaining } from '../support/tables-containing.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const expiresAt = new Date(now.getTime() + 60_000);

async function newUser(storage: StorageAdapter, email: string | null = null): Promise<string> {
  const id = randomUUID();
  const user = { id, email, emailVerified: true, passwordHash: null, metadata: {}, createdAt: now };
  expect(await storage.users.insert(user)).toBe(true);
  return id;
}

describe('deletion on PostgreSQL', () => {
  let database: TestDatabase;
  let knex: Knex;
  let storage: Required<StorageAdapter>;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    knex = knexPackage({ client: 'pg', connection: database.url });
    storage = knexAdapter(knex) as Required<StorageAdapter>;
    await storage.init();
  });

  afterAll(async () => {
    await knex.destroy();
    await database.drop();
  });

  it('deleteUser() leaves neither the id nor the address nor a phone number in any column of any table', async () => {
    const [email, phone] = [`${randomUUID()}@example.test`, '+4915112345678'];
    const [userId, ownerId] = [await newUser(storage, email), await newUser(storage)];
    const { refreshFamilies, apiKeys, orgs, totp, credentials, accounts } = storage;
    const times = { createdAt: now, lastSeenAt: now, expiresAt, revokedAt: null, boundAt: null };
    await storage.sessions.start({ id: randomUUID(), userId, device: {}, ...times }, 0);
    for (const [provider, providerAccountId] of [
      ['google', 'x'],
      ['phone', phone],
    ] as const) {
      const identity = { id: randomUUID(), userId, provider, providerAccountId, createdAt: now };
      expect(await storage.identities.link(identity, 0)).toBe(true);
    }
    const pending = { expiresAt, metadata: {} };
    const codes = [
      ['email_code', email],
      ['email_code', userId],
      ['phone_code', phone],
    ] as const;
    for (const [purpose, subject] of codes) {
      await storage.oneTimeCodes.replace({ ...pending, purpose, subject, codeHash: 'mac' });
    }
    const tokens = [
      ['magic_link', email],
      ['magic_link', userId],
      ['webauthn_registration', userId],
      ['webauthn_authentication', userId],
    ] as const;
    for (const [purpose, subject] of tokens) {
      await storage.singleUseTokens.insert({ ...pending, purpose, subject, digest: randomUUID() });
    }
    const family = { id: randomUUID(), userId, kind: null, counter: 0, epoch: 0, claims: {}, device: {} };
    await refreshFamilies.insert({ ...family, rotatedAt: now, createdAt: now, expiresAt, revokedAt: null });
    const key = {
      id: randomUUID(),
      name: 'Deployment',
      prefix: 'svc_abcd',
      secretHash: 'hash',
      userId,
      orgId: null,
      scopes: [],
      metadata: {},
      createdAt: now,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    };
    await apiKeys.insert(key, 0);
    const org = {
      id: randomUUID(),
      name: 'Acme',
      slug: 'acme',
      metadata: {},
      createdAt: now,
      updatedAt: now,
    };
    await orgs.create(org, { orgId: org.id, userId: ownerId, role: 'owner', createdAt: now });
    await orgs.changeMember({ orgId: org.id, userId, now }, () => 'admin');
    const invite = { orgId: org.id, role: 'member', createdAt: now, expiresAt, acceptedAt: null } as const;
    const to = (address: string, invitedByUserId: string) => ({
      ...invite,
      id: randomUUID(),
      email: address,
      invitedByUserId,
    });
    await orgs.insertInvite(to(email, ownerId), 'accepted');
    expect(await orgs.acceptInvite('accepted', userId, now, () => 'member')).toMatchObject({
      status: 'accepted',
    });
    await orgs.insertInvite(to(email, ownerId), 'pending');
    await orgs.insertInvite(to('invitee@example.test', userId), 'sent');

    const coseKey = { publicKey: 'key', counter: 0, transports: [], backupEligible: false, backedUp: false };
    const passkey = {
      id: 'passkey',
      userId,
      ...coseKey,
      aaguid: '',
      name: null,
      lastUsedFrom: null,
      userHandle: null,
      createdAt: now,
      lastUsedAt: null,
    };
    expect(await credentials.insert(passkey, 0)).toBe('inserted');
    await totp.savePending(userId, 'secret');
    const confirmation = { userId, pendingSecret: 'secret', step: 1, recoveryCodeHashes: ['hash'], now };
    expect(await totp.confirm(confirmation)).toBe(true);

    expect(await tablesContaining(knex, userId, email, phone)).toEqual([
      'svc_api_keys',
      'svc_credentials',
      'svc_identities',
      'svc_one_time_codes',
      'svc_org_invites',
      'svc_org_memberships',
      'svc_recovery_codes',
      'svc_refresh_families',
      'svc_sessions',
      'svc_single_use_tokens',
      'svc_totp',
      'svc_users',
    ]);
    expect(await accounts.deleteUser(userId, async () => undefined)).toEqual({ status: 'deleted' });
    expect(await tablesContaining(knex, userId, email, phone)).toEqual([]);
    expect(await tablesContaining(knex, ownerId)).toEqual(['svc_org_memberships', 'svc_users']);
  });

  it('deleteUser() and the deletions of the application happen in one transaction', async () => {
    await knex.raw('create table orders (user_id uuid not null)');
    const userId = await newUser(storage);
    await knex('orders').insert({ user_id: userId });
    const remove = (failure?: Error) =>
      storage.accounts.deleteUser(userId, async (transaction) => {
        const hostTransaction = transaction as Knex.Transaction;
        await hostTransaction('orders').where({ user_id: userId }).delete();
        // The row still exists, so that the application can read it.
        expect(await hostTransaction('svc_users').where({ id: userId })).toHaveLength(1);
        if (failure) throw failure;
      });
    const failure = new Error('the warehouse is closed');
    await expect(remove(failure)).rejects.toBe(failure);
    expect(await knex('orders')).toHaveLength(1);
    expect(await storage.users.findById(userId)).not.toBeNull();
    expect(await remove()).toEqual({ status: 'deleted' });
    expect(await knex('orders')).toEqual([]);
  });

  it('deleteUser() is rolled back if the application hides a failed statement', async () => {
    const userId = await newUser(storage);
    const deletion = storage.accounts.deleteUser(userId, async (transaction) => {
      await (transaction as Knex.Transaction).raw('select * from no_such_table').catch(() => undefined);
    });
    await expect(deletion).rejects.toMatchObject({ code: 'internal_error', cause: { code: '25P02' } });
    expect(await storage.users.findById(userId)).not.toBeNull();
  });

  it.each([
    ['commits', (transaction: Knex.Transaction) => transaction.commit()],
    ['rolls back', (transaction: Knex.Transaction) => transaction.rollback()],
  ])(
    'deleteUser() throws internal_error and keeps the user if the application %s the transaction',
    async (_name, end) => {
      const userId = await newUser(storage);
      const deletion = storage.accounts.deleteUser(userId, async (transaction) => {
        await end(transaction as Knex.Transaction);
      });
      await expect(deletion).rejects.toMatchObject({ code: 'internal_error' });
      expect(await storage.users.findById(userId)).not.toBeNull();
      const alone = databaseOf({
        open: async () => knex,
        statements: async () => statementsIn('public', tables),
        warn: () => undefined,
      }).transaction(async (_transaction, knexTransaction) => {
        await end(knexTransaction);
        return 'done';
      });
      await expect(alone).rejects.toMatchObject({ code: 'internal_error' });
      // The connection was returned to the pool in order.
      expect(await storage.accounts.deleteUser(userId, async () => undefined)).toEqual({ status: 'deleted' });
    },
  );

  it('deleteUser() makes concurrent changes of the user wait', async () => {
    const [userId, ownerId] = [await newUser(storage), await newUser(storage)];
    const org = {
      id: randomUUID(),
      name: 'Acme',
      slug: randomUUID(),
      metadata: {},
      createdAt: now,
      updatedAt: now,
    };
    await storage.orgs.create(org, { orgId: org.id, userId: ownerId, role: 'owner', createdAt: now });
    const concurrentChanges: Promise<unknown>[] = [];
    const times = { createdAt: now, lastSeenAt: now, expiresAt, revokedAt: null, boundAt: null };
    await storage.accounts.deleteUser(userId, async () => {
      concurrentChanges.push(
        storage.sessions.start({ id: randomUUID(), userId, device: {}, ...times }, 0),
        storage.orgs.changeMember({ orgId: org.id, userId, now }, () => 'member'),
      );
      concurrentChanges.push(
        storage.credentials.insert(newCredential(userId), 0),
        storage.totp.savePending(userId, 'secret'),
        storage.totp.disable(userId, now),
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    expect(await Promise.all(concurrentChanges)).toEqual([false, 'no_user', 'no_user', 'no_user', false]);
  });
});

it('on PGlite, deleteUser() passes its only connection to the application', async () => {
  const storage = pgliteAdapter();
  await storage.init();
  try {
    const userId = await newUser(storage);
    const deletion = storage.accounts?.deleteUser(userId, async (transaction) => {
      const { rows } = await (transaction as Knex.Transaction).raw<{ rows: unknown[] }>(
        'select id from svc_users',
      );
      expect(rows).toEqual([{ id: userId }]);
    });
    expect(await deletion).toEqual({ status: 'deleted' });
  } finally {
    await storage.close();
  }
});
