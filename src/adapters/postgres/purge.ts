/**
 * Removes expired rows in batches, so that no transaction or lock lasts long, however many rows
 * there are.
 */
import type { PurgeCounts, StorageAdapter } from '../../storage/adapter.js';
import { asTimestamp } from '../shared/bindings.js';
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

// The keys of a batch pass through arrays, of which PostgreSQL expects few elements, so that it looks
// up each of them. It would join the CTE itself by reading the whole table.
const scheduleIn = (cte: string) =>
  `update svc_sessions set purge_after = expires_at where id = any(array(select id from ${cte}))`;

// Rows written by a process of the previous release. They are only scheduled here.
const scheduleSessions = `
  with unscheduled as materialized (
    select id from svc_sessions where purge_after is null limit :batch for update skip locked)
  ${scheduleIn('unscheduled')}`;

// A session that was renewed after it was scheduled is scheduled again here, instead of at every
// renewal. Separate from the removal: CockroachDB changes a table only once in a statement.
const rescheduleSessions = `
  with due as materialized (
    select id, expires_at from svc_sessions where purge_after <= :now order by purge_after limit :batch
  ), renewed as materialized (
    select id from svc_sessions
    where id = any(array(select id from due where expires_at > :now)) for update skip locked)
  ${scheduleIn('renewed')}`;

const expiredSessions = `
  with due as materialized (
    select id, expires_at from svc_sessions where purge_after <= :now
    order by purge_after limit :batch for update skip locked
  ), removed as (
    delete from svc_sessions where id = any(array(select id from due where expires_at <= :now)) returning 1)
  ${countsOf('due')}`;

/**
 * Removes a batch of rows. The CTE keeps `limit` exact under every plan; `skip locked` skips rows
 * that are in use. No other transaction can change its rows before they are removed.
 * @param key the columns of the key. The first one has an index.
 */
function removeWhere(table: string, [column, other]: [string, string?], condition: string): string {
  const key = other === undefined ? column : `${column}, ${other}`;
  return `
    with expired as materialized (
      select ${key} from ${table} where ${condition} limit :batch for update skip locked
    ), removed as (
      delete from ${table} where ${column} = any(array(select ${column} from expired))
        ${other === undefined ? '' : `and (${key}) in (select ${key} from expired)`} returning 1)
    ${countsOf('expired')}`;
}

const revokedSessions = removeWhere('svc_sessions', ['id'], 'revoked_at is not null');

const statements = {
  singleUseTokens: removeWhere('svc_single_use_tokens', ['digest'], 'expires_at <= :now'),
  oneTimeCodes: removeWhere('svc_one_time_codes', ['subject', 'purpose'], 'expires_at <= :endedBefore'),
  rateLimits: removeWhere('svc_rate_limits', ['key'], 'reset_at <= :now'),
  refreshFamilies: removeWhere('svc_refresh_families', ['id'], 'expires_at <= :now'),
  orgInvites: removeWhere('svc_org_invites', ['id'], 'expires_at <= :endedBefore'),
  oauthClients: removeWhere('svc_oauth_clients', ['id'], 'expires_at <= :now'),
  oauthGrants: removeWhere('svc_oauth_grants', ['id'], 'expires_at <= :now'),
  oauthTokens: removeWhere('svc_oauth_tokens', ['digest'], 'expires_at <= :now'),
  trustedBrowsers: removeWhere('svc_trusted_browsers', ['id'], 'expires_at <= :now'),
  statistics: removeWhere('svc_statistics', ['period', 'series'], 'expires_at <= :now'),
  activeUsers: removeWhere('svc_active_users', ['user_id', 'period'], 'expires_at <= :now'),
};

export function purgeQueries(db: Database): Pick<StorageAdapter, 'purgeExpired'> {
  const removing =
    (statement: string, bindings: Bindings) =>
    async (batch: number): Promise<Batch> => {
      const [counts] = await db.query(statement, { ...bindings, batch }, (row: Batch) => row);
      return counts ?? { examined: 0, removed: 0 };
    };

  async function purgeSessions(now: string, limit: number, onProgress: Report): Promise<number> {
    await inBatches(limit, async (batch) => {
      const scheduled = await db.execute(scheduleSessions, { batch });
      return { examined: scheduled, removed: scheduled };
    });
    const revoked = await inBatches(limit, removing(revokedSessions, {}), onProgress);
    const remove = removing(expiredSessions, { now });
    const removeDue = async (batch: number) => {
      await db.execute(rescheduleSessions, { now, batch });
      return remove(batch);
    };
    const expired = await inBatches(limit - revoked, removeDue, onProgress);
    return revoked + expired;
  }

  return {
    async purgeExpired({ now, limit = Infinity, onProgress = () => undefined }) {
      const bindings = {
        now: asTimestamp(now),
        endedBefore: asTimestamp(new Date(now.getTime() - retentionMs)),
      };
      const counts: PurgeCounts = { sessions: await purgeSessions(bindings.now, limit, onProgress) };
      for (const [table, statement] of Object.entries(statements)) {
        counts[table] = await inBatches(limit, removing(statement, bindings), onProgress);
      }
      return counts;
    },
  };
}

type Report = (removed: number) => void;

async function inBatches(
  limit: number,
  next: (batch: number) => Promise<Batch>,
  onProgress: Report = () => undefined,
): Promise<number> {
  let total = 0;
  while (total < limit) {
    const batch = Math.min(batchSize, limit - total);
    const { examined, removed } = await next(batch);
    total += removed;
    if (removed > 0) onProgress(removed);
    if (examined < batch) break;
  }
  return total;
}
