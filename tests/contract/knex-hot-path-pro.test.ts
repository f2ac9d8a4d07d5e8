/**
 * The checks of access tokens and API keys on PostgreSQL: one prepared, indexed query, shared by
 * lookups that arrive while another is running.
 */
import { randomUUID } from 'node:crypto';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { connectionPerTest, now, storedSession } from '../support/single-connection.js';

const on = connectionPerTest();

async function newFamily({ refreshFamilies }: StorageAdapter, userId: string): Promise<string> {
  const times = { rotatedAt: now, createdAt: now, expiresAt: now, revokedAt: null };
  const family = {
    id: randomUUID(),
    userId,
    kind: null,
    counter: 0,
    epoch: 0,
    claims: {},
    device: {},
    ...times,
  };
  expect(await refreshFamilies?.insert(family)).toBe(true);
  return family.id;
}

async function newKey({ apiKeys }: StorageAdapter, userId: string): Promise<string> {
  const times = { createdAt: now, lastUsedAt: null, expiresAt: null, revokedAt: null };
  const parts = { name: 'Deployment', prefix: 'svc_abcd', secretHash: 'hash', scopes: [], metadata: {} };
  const key = { id: randomUUID(), userId, orgId: null, ...parts, ...times };
  expect(await apiKeys?.insert(key, 0)).toBe('inserted');
  return key.id;
}

const checks = {
  family: {
    create: newFamily,
    find: async (storage: StorageAdapter, id: string) =>
      (await storage.refreshFamilies?.findWithUser(id))?.family.id,
    statement: 'svc_family_check',
    indexes: ['svc_refresh_families_pkey', 'svc_users_pkey'],
  },
  'API key': {
    create: newKey,
    find: async (storage: StorageAdapter, id: string) => (await storage.apiKeys?.findById(id))?.id,
    statement: 'svc_api_key_check',
    indexes: ['svc_api_keys_pkey'],
  },
};

describe.each(Object.entries(checks))(
  'lookups of the type: %s',
  (_, { create, find, statement, indexes }) => {
    it('all lookups of one turn use one prepared query, and a malformed id uses none', async () => {
      const { storage, sent } = on;
      const { userId } = await storedSession(on);
      const id = await create(storage, userId);
      sent.length = 0;
      const ids = [id, id, randomUUID(), 'malformed', id];
      const foundIds = await Promise.all(ids.map((each) => find(storage, each)));
      expect(foundIds).toEqual([id, id, undefined, undefined, id]);
      expect(sent.map(({ options }) => options?.name)).toEqual([
        expect.stringMatching(`^${statement}_[0-9a-f]{12}_0$`),
      ]);
    });

    it('the lookup uses indexes in the plan that PostgreSQL keeps for a table of some thousand rows', async () => {
      const { knex, storage } = on;
      const { userId } = await storedSession(on);
      await knex.raw(`
      with people as (
        insert into svc_users (id, email_verified, metadata, epoch, created_at, updated_at)
        select gen_random_uuid(), true, '{}', 0, '2030-01-01', '2030-01-01' from generate_series(1, 2000)
        returning id), families as (
        insert into svc_refresh_families
          (id, user_id, counter, rotated_at, epoch, claims, device, created_at, expires_at)
        select gen_random_uuid(), id, 0, '2030-01-01', 0, '{}', '{}', '2030-01-01', '2040-01-01' from people)
      insert into svc_api_keys (id, name, prefix, secret_hash, user_id, scopes, metadata, created_at)
      select gen_random_uuid(), 'n', 'p', 'h', id, '[]', '{}', '2030-01-01' from people`);
      await knex.raw('analyze');
      const id = await create(storage, userId);
      await find(storage, id);
      const name = on.sent.at(-1)?.options?.name;
      await knex.raw('set plan_cache_mode = force_generic_plan');
      const explain = `explain execute ${name} ('{${id}}')`;
      const { rows } = await knex.raw<{ rows: Record<string, string>[] }>(explain);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      for (const index of indexes) expect(plan).toContain(index);
      expect(plan).not.toMatch(/Seq Scan on (?!svc_lockdown)|Hash/);
    });
  },
);
