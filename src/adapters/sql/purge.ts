/** Removal of dead rows, a batch at a time: no long transaction, no long lock, whatever has piled up. */
import type { PurgeCounts, StorageAdapter } from '../../storage/adapter.js';
import { time } from './bindings.js';
import type { Bindings, Database } from './database.js';

const batchSize = 1000;
// Until then an expired code is still reported as `code_expired`, and not as `code_not_found`, and an invite that has ended
// supersedes an older one whose mail is still being sent.
const retentionMs = 24 * 60 * 60 * 1000;

/** What one batch looked at, and how much of it was removed. A batch that saw less than its size was the last one. */
interface Batch {
  seen: number;
  removed: number;
}

function counted(seen: string): string {
  return `select (select cast(count(*) as integer) from ${seen}) as seen,
    (select cast(count(*) as integer) from removed) as removed`;
}

// Rows that a process of the release before has written. They are only scheduled here.
const scheduleSessions = `
  with unscheduled as materialized (
    select id from svc_sessions where purge_after is null limit :batch for update skip locked)
  update svc_sessions as s set purge_after = s.expires_at from unscheduled where s.id = unscheduled.id`;

// A session that was renewed since it was scheduled is scheduled again: once in a lifetime, instead of at every renewal.
const expiredSessions = `
  with due as materialized (
    select id, expires_at <= :now as is_dead from svc_sessions where purge_after <= :now
    order by purge_after limit :batch for update skip locked
  ), renewed as (
    update svc_sessions as s set purge_after = s.expires_at from due where s.id = due.id and not due.is_dead
  ), removed as (
    delete from svc_sessions using due where svc_sessions.id = due.id and due.is_dead returning due.id)
  ${counted('due')}`;

/**
 * A batch of dead rows. The CTE keeps `limit` exact under every plan; `skip locked` keeps out of the way of whoever uses a row. Rows
 * are removed by their place, because a join by key reads the whole table for a thousand rows. A row that has moved since stays until
 * the next batch.
 */
const removeWhere = (table: string, isDead: string) => `
  with dead as materialized (
    select ctid as place from ${table} where ${isDead} limit :batch for update skip locked
  ), removed as (
    delete from ${table} where ctid = any(array(select place from dead)) returning 1)
  ${counted('dead')}`;

const revokedSessions = removeWhere('svc_sessions', 'revoked_at is not null');

const statements = {
  singleUseTokens: removeWhere('svc_single_use_tokens', 'expires_at <= :now'),
  oneTimeCodes: removeWhere('svc_one_time_codes', 'expires_at <= :endedBefore'),
  rateLimits: removeWhere('svc_rate_limits', 'reset_at <= :now'),
  refreshFamilies: removeWhere('svc_refresh_families', 'expires_at <= :now'),
  orgInvites: removeWhere('svc_org_invites', 'expires_at <= :endedBefore'),
};

export function purgeQueries(db: Database): Pick<StorageAdapter, 'purgeExpired'> {
  const deleting =
    (statement: string, bindings: Bindings) =>
    async (batch: number): Promise<Batch> => {
      const [counts] = await db.query(statement, { ...bindings, batch }, (row: Batch) => row);
      return counts ?? { seen: 0, removed: 0 };
    };

  /** A session that is scheduled is removed later, at its end. */
  async function schedule(batch: number): Promise<Batch> {
    const removed = await db.execute(scheduleSessions, { batch });
    return { seen: removed, removed };
  }

  async function purgeSessions(now: string, limit: number): Promise<number> {
    await inBatches(limit, schedule);
    const revoked = await inBatches(limit, deleting(revokedSessions, {}));
    return revoked + (await inBatches(limit - revoked, deleting(expiredSessions, { now })));
  }

  return {
    async purgeExpired({ now, limit = Infinity }) {
      const bindings = { now: time(now), endedBefore: time(new Date(now.getTime() - retentionMs)) };
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
    const { seen, removed } = await next(batch);
    total += removed;
    if (seen < batch) break;
  }
  return total;
}
