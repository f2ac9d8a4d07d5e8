/** What a batch of the sealer costs on PostgreSQL before its first `analyze`, when the planner believes that few records have no seal. */
import type { StoredAuditRecord } from '../../src/domain/audit.js';
import { createSharedDatabase } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';

const total = 50_000;
const limit = 300;

it('seals a batch without reading the records that are left', async () => {
  const database = await createSharedDatabase('PostgreSQL');
  const storage = openStorage(database.url, 1);
  const audit = storage.audit!;
  await database.sql('alter table svc_audit_log set (autovacuum_enabled = false)');
  await database.sql(`
    insert into svc_audit_log (id, occurred_at, action, outcome, actors, details, mac)
    select gen_random_uuid(), now(), 'session.created', 'success', '[]', '{}', md5(n::text)
    from generate_series(1, ${total}) n`);
  let last = '';
  const seal = (state: string | null, records: readonly StoredAuditRecord[]) => {
    const number = Number(state ?? 0) + 1;
    last = records.at(-1)!.id;
    const at = new Date();
    const ids = records.map(({ id }) => id).join(',');
    return {
      seal: { seal: number, sealedAt: at, newestAt: at, records: records.length, ids, mac: 'm' },
      state: String(number),
    };
  };
  expect(await audit.seal({ limit }, seal)).toBe(limit);
  expect(await audit.seal({ after: last, limit }, seal)).toBe(limit);
  // Its statistics are complete after the connection has ended.
  await storage.close?.();
  const [read = {}] = await database.sql(
    `select seq_tup_read + coalesce(idx_tup_fetch, 0) as records from pg_stat_user_tables where relname = 'svc_audit_log'`,
  );
  expect(Number(read['records'])).toBeGreaterThanOrEqual(2 * limit);
  expect(Number(read['records'])).toBeLessThan(total / 2);
  await database.drop();
}, 60_000);
