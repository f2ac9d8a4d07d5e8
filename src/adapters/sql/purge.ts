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

// Rows that a process of the release before has written. They are only scheduled here.
const scheduleSessions = `
  with unscheduled as materialized (
    select id from svc_sessions where purge_after is null limit :batch for update skip locked)
  update svc_sessions as s set purge_after = s.expires_at from unscheduled where s.id = unscheduled.id`;

const revokedSessions = `
  with dead as materialized (
    select id from svc_sessions where revoked_at is not null limit :batch for update skip locked)
  delete from svc_sessions using dead where svc_sessions.id = dead.id`;

// A session that was renewed since it was scheduled is scheduled again: once in a lifetime, instead of at every renewal.
const expiredSessions = `
  with due as materialized (
    select id, expires_at <= :now as is_dead from svc_sessions where purge_after <= :now
    order by purge_after limit :batch for update skip locked
  ), renewed as (
    update svc_sessions as s set purge_after = s.expires_at from due where s.id = due.id and not due.is_dead
  ), removed as (
    delete from svc_sessions using due where svc_sessions.id = due.id and due.is_dead returning due.id)
  select (select cast(count(*) as integer) from due) as seen,
    (select cast(count(*) as integer) from removed) as removed`;

// The CTE keeps `limit` exact under every plan; `skip locked` keeps out of the way of whoever uses a row.
const statements = {
  singleUseTokens: `
    with dead as materialized (
      select digest from svc_single_use_tokens where expires_at <= :now limit :batch for update skip locked)
    delete from svc_single_use_tokens using dead where svc_single_use_tokens.digest = dead.digest`,
  oneTimeCodes: `
    with dead as materialized (
      select purpose, subject from svc_one_time_codes where expires_at <= :endedBefore
      limit :batch for update skip locked)
    delete from svc_one_time_codes as c using dead where c.purpose = dead.purpose and c.subject = dead.subject`,
  rateLimits: `
    with dead as materialized (
      select key from svc_rate_limits where reset_at <= :now limit :batch for update skip locked)
    delete from svc_rate_limits using dead where svc_rate_limits.key = dead.key`,
  refreshFamilies: `
    with dead as materialized (
      select id from svc_refresh_families where expires_at <= :now limit :batch for update skip locked)
    delete from svc_refresh_families as f using dead where f.id = dead.id`,
  orgInvites: `
    with dead as materialized (
      select id from svc_org_invites where expires_at <= :endedBefore limit :batch for update skip locked)
    delete from svc_org_invites as i using dead where i.id = dead.id`,
};

export function purgeQueries(db: Database): Pick<StorageAdapter, 'purgeExpired'> {
  const deleting =
    (statement: string, bindings: Bindings) =>
    async (batch: number): Promise<Batch> => {
      const removed = await db.execute(statement, { ...bindings, batch });
      return { seen: removed, removed };
    };

  async function purgeSessions(now: string, limit: number): Promise<number> {
    await inBatches(limit, deleting(scheduleSessions, {}));
    const revoked = await inBatches(limit, deleting(revokedSessions, {}));
    const expired = await inBatches(limit - revoked, async (batch) => {
      const [counts] = await db.query(expiredSessions, { now, batch }, (row: Batch) => row);
      return counts ?? { seen: 0, removed: 0 };
    });
    return revoked + expired;
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
