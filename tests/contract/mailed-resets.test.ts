/**
 * Resets that wait for a change of the account on PostgreSQL, and what remains of an unverified
 * account after its deletion.
 */
import { randomUUID } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { NewUser } from '../../src/storage/repositories.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';
import { tablesContaining } from '../support/tables-containing.js';

const now = new Date('2031-05-06T07:08:09.123Z');
const expiresAt = new Date(now.getTime() + 60_000);

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

function newUser(email: string): NewUser {
  const user = { email, emailVerified: false, passwordHash: null, metadata: {}, createdAt: now };
  return { id: randomUUID(), ...user };
}

/** Creates an unverified account and a mailed reset for it. */
async function mailedReset() {
  const email = `${randomUUID()}@example.test`;
  const { id: userId } = await signUp(email);
  const tokenDigest = randomUUID();
  const token = { digest: tokenDigest, purpose: 'password_reset', subject: email, expiresAt } as const;
  const account = { epoch: 0, hasPassword: false };
  await storage.singleUseTokens.insert({ ...token, account, metadata: {} });
  return { email, userId, reset: { tokenDigest, email, userId, passwordHash: 'new', now } };
}

async function signUp(email: string): Promise<NewUser> {
  const user = newUser(email);
  expect(await storage.users.insert(user)).toBe(true);
  return user;
}

/** Resolves when a statement waits for the row of a user. */
async function untilOneWaits(): Promise<void> {
  for (;;) {
    const { rows } = await knex.raw<{ rows: unknown[] }>(`select from pg_locks where not granted`);
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const changes: Record<string, (transaction: Knex.Transaction, userId: string) => Promise<unknown>> = {
  'is deleted': (transaction, userId) => transaction('svc_users').where({ id: userId }).delete(),
  'moves to another address': (transaction, userId) => {
    const email = `${randomUUID()}@example.test`;
    return transaction('svc_users').where({ id: userId }).update({ email, email_verified: true });
  },
};

it.each(Object.entries(changes))(
  'a reset that waits while its account %s applies to the account that then has the address',
  async (_name, change) => {
    const { email, userId, reset } = await mailedReset();
    const { id, metadata, createdAt } = newUser(email);
    const times = { created_at: createdAt, updated_at: createdAt };
    const pendingReset = await knex.transaction(async (transaction) => {
      await change(transaction, userId);
      await transaction('svc_users').insert({
        id,
        email,
        email_verified: false,
        metadata,
        epoch: 0,
        ...times,
      });
      const outcome = storage.users.resetPassword(reset);
      await untilOneWaits();
      return { outcome };
    });
    expect(await pendingReset.outcome).toMatchObject({
      claimed: true,
      user: { id, email, passwordHash: 'new' },
    });
    expect((await storage.users.findById(userId))?.passwordHash ?? null).toBeNull();
  },
);

it('the deletion of an unverified account leaves its id in no column of any table', async () => {
  const { email, userId, reset } = await mailedReset();
  const pending = { subject: email, expiresAt, metadata: {} };
  await storage.oneTimeCodes.replace({ ...pending, purpose: 'email_code', codeHash: 'mac' });
  const verification = { ...pending, purpose: 'email_verification', subject: userId } as const;
  await storage.oneTimeCodes.replace({ ...verification, codeHash: 'mac' });
  expect(await tablesContaining(knex, userId)).toEqual(['svc_one_time_codes', 'svc_users']);
  expect(await storage.accounts.deleteUser(userId, async () => undefined)).toEqual({ status: 'deleted' });
  expect(await tablesContaining(knex, userId)).toEqual([]);
  // What was sent to the mailbox belongs to its owner.
  expect(await tablesContaining(knex, email)).toEqual(['svc_one_time_codes', 'svc_single_use_tokens']);
  const { id } = await signUp(email);
  expect(await storage.users.resetPassword(reset)).toMatchObject({ claimed: true, user: { id } });
});
