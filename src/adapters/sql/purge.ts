/** Removal of dead rows, a batch at a time: no long transaction, no long lock, whatever has piled up. */
import type { PurgeCounts, StorageAdapter } from '../../storage/adapter.js';
import { time } from './bindings.js';
import type { Database } from './database.js';

const batchSize = 1000;
// Until then an expired code still answers `code_expired`, and not `code_not_found`.
const codeRetentionMs = 24 * 60 * 60 * 1000;

// The CTE keeps `limit` exact under every plan; `skip locked` keeps out of the way of whoever uses a row.
const statements = {
  sessions: `
    with dead as materialized (
      select id from svc_sessions where revoked_at is not null or expires_at <= :now
      limit :batch for update skip locked)
    delete from svc_sessions using dead where svc_sessions.id = dead.id`,
  singleUseTokens: `
    with dead as materialized (
      select digest from svc_single_use_tokens where expires_at <= :now limit :batch for update skip locked)
    delete from svc_single_use_tokens using dead where svc_single_use_tokens.digest = dead.digest`,
  oneTimeCodes: `
    with dead as materialized (
      select purpose, subject from svc_one_time_codes where expires_at <= :codesBefore
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
      select id from svc_org_invites where expires_at <= :now limit :batch for update skip locked)
    delete from svc_org_invites as i using dead where i.id = dead.id`,
};

export function purgeQueries(db: Database): Pick<StorageAdapter, 'purgeExpired'> {
  return {
    async purgeExpired({ now, limit = Infinity }) {
      const bindings = { now: time(now), codesBefore: time(new Date(now.getTime() - codeRetentionMs)) };
      const counts: PurgeCounts = {};
      for (const [table, statement] of Object.entries(statements)) {
        counts[table] = await inBatches(limit, (batch) => db.execute(statement, { ...bindings, batch }));
      }
      return counts;
    },
  };
}

async function inBatches(limit: number, remove: (batch: number) => Promise<number>): Promise<number> {
  let removed = 0;
  while (removed < limit) {
    const batch = Math.min(batchSize, limit - removed);
    const count = await remove(batch);
    removed += count;
    if (count < batch) break;
  }
  return removed;
}
