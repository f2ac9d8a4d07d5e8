/**
 * Removes expired rows in batches, so that no transaction or lock lasts long, however many rows
 * there are.
 */
import type { PurgeCounts, StorageAdapter } from '../../storage/adapter.js';
import { asTimestamp } from './bindings.js';
import type { Bindings, Database } from './database.js';

const batchSize = 1000;
// Until then an expired code is reported as `code_expired`, not as `code_not_found`, and a revoked
// or expired invite supersedes an older one whose mail is still being sent.
const retentionMs = 24 * 60 * 60 * 1000;

/**
 * The numbers of rows that a batch examined and removed. A batch that examined fewer rows than its
 * size is the last.
 */
interface Batch {
  examined: number;
  removed: number;
}

function countsOf(examined: string): string {
  return `select (select cast(count(*) as integer) from ${examined}) as examined,
    (select cast(count(*) as integer) from removed) as removed`;
}

// Rows written by a process of the previous release. They are only scheduled here.
const scheduleSessions = `
  with unscheduled as materialized (
    select id from svc_sessions where purge_after is null limit :batch for update skip locked)
  update svc_sessions as s set purge_after = s.expires_at from unscheduled where s.id = unscheduled.id`;

// A session that was renewed after it was scheduled is scheduled again here, instead of at every
// renewal.
const expiredSessions = `
  with due as materialized (
    select id, expires_at <= :now as is_expired from svc_sessions where purge_after <= :now
    order by purge_after limit :batch for update skip locked
  ), renewed as (
    update svc_sessions as s set purge_after = s.expires_at from due where s.id = due.id and not due.is_expired
  ), removed as (
    delete from svc_sessions using due where svc_sessions.id = due.id and due.is_expired returning due.id)
  ${countsOf('due')}`;

/**
 * Removes a batch of rows. The CTE keeps `limit` exact under every plan; `skip locked` skips rows
 * that are in use. Rows are removed by `ctid`, because a join by key reads the whole table for a
 * thousand rows. A row that was updated in the meantime is left for the next batch.
 */
const removeWhere = (table: string, condition: string) => `
  with expired as materialized (
    select ctid as place from ${table} where ${condition} limit :batch for update skip locked
  ), removed as (
    delete from ${table} where ctid = any(array(select place from expired)) returning 1)
  ${countsOf('expired')}`;

const revokedSessions = removeWhere('svc_sessions', 'revoked_at is not null');

const statements = {
  singleUseTokens: removeWhere('svc_single_use_tokens', 'expires_at <= :now'),
  oneTimeCodes: removeWhere('svc_one_time_codes', 'expires_at <= :endedBefore'),
  rateLimits: removeWhere('svc_rate_limits', 'reset_at <= :now'),
  refreshFamilies: removeWhere('svc_refresh_families', 'expires_at <= :now'),
  orgInvites: removeWhere('svc_org_invites', 'expires_at <= :endedBefore'),
  trustedBrowsers: removeWhere('svc_trusted_browsers', 'expires_at <= :now'),
};

export function purgeQueries(db: Database): Pick<StorageAdapter, 'purgeExpired'> {
  const deleting =
    (statement: string, bindings: Bindings) =>
    async (batch: number): Promise<Batch> => {
      const [counts] = await db.query(statement, { ...bindings, batch }, (row: Batch) => row);
      return counts ?? { examined: 0, removed: 0 };
    };

  /** Schedules sessions. They are removed when they expire. */
  async function schedule(batch: number): Promise<Batch> {
    const scheduled = await db.execute(scheduleSessions, { batch });
    return { examined: scheduled, removed: scheduled };
  }

  async function purgeSessions(now: string, limit: number): Promise<number> {
    await inBatches(limit, schedule);
    const revoked = await inBatches(limit, deleting(revokedSessions, {}));
    return revoked + (await inBatches(limit - revoked, deleting(expiredSessions, { now })));
  }

  return {
    async purgeExpired({ now, limit = Infinity }) {
      const bindings = {
        now: asTimestamp(now),
        endedBefore: asTimestamp(new Date(now.getTime() - retentionMs)),
      };
      const counts: PurgeCounts = { sessions: await purgeSessions(bindings.now, limit) };
      for (const [table, statement] of Object.entries(statements)) {
        counts[table] = await inBatches(limit, deleting(statement, bindings));
      }
      return counts;
    },
  };
}

async function inBatches(limit: number, next: (batch: number) => Promise<Batch>): Promise<number> {
  let total = 0;
  while (total < limit) {
    const batch = Math.min(batchSize, limit - total);
    const { examined, removed } = await next(batch);
    total += removed;
    if (examined < batch) break;
  }
  return total;
}
