/** Removes expired rows in batches, so that no statement keeps other writers waiting for long. */
import type { PurgeCounts, StorageAdapter } from '../../storage/adapter.js';
import type { Database } from './database.js';
import { limitOf } from './list-range.js';
import type { Bindings } from './statements.js';

const batchSize = 500;
// Until then an expired code is reported as `code_expired`, not as `code_not_found`, and a revoked
// or expired invite supersedes an older one whose mail is still being sent.
const retentionMs = 24 * 60 * 60 * 1000;

interface Expiring {
  table: string;
  /** The columns of the primary key. */
  key: readonly [string, string?];
  condition: string;
}

const expired = 'expires_at <= :now';
const longExpired = 'expires_at <= :endedBefore';

const tables: Record<string, readonly Expiring[]> = {
  // Two statements, each of which is found by an index.
  sessions: [
    { table: 'svc_sessions', key: ['id'], condition: 'revoked_at is not null' },
    { table: 'svc_sessions', key: ['id'], condition: expired },
  ],
  singleUseTokens: [{ table: 'svc_single_use_tokens', key: ['digest'], condition: expired }],
  oneTimeCodes: [{ table: 'svc_one_time_codes', key: ['purpose', 'subject'], condition: longExpired }],
  rateLimits: [{ table: 'svc_rate_limits', key: ['counter_key'], condition: 'reset_at <= :now' }],
  refreshFamilies: [{ table: 'svc_refresh_families', key: ['id'], condition: expired }],
  orgInvites: [{ table: 'svc_org_invites', key: ['id'], condition: longExpired }],
  oauthClients: [{ table: 'svc_oauth_clients', key: ['id'], condition: expired }],
  oauthGrants: [{ table: 'svc_oauth_grants', key: ['id'], condition: expired }],
  oauthTokens: [{ table: 'svc_oauth_tokens', key: ['digest'], condition: expired }],
  trustedBrowsers: [{ table: 'svc_trusted_browsers', key: ['id'], condition: expired }],
  statistics: [{ table: 'svc_statistics', key: ['period', 'series'], condition: expired }],
  activeUsers: [{ table: 'svc_active_users', key: ['period', 'user_id'], condition: expired }],
};

/** The tables that a purge reads, and which of their rows it removes. */
export const expiring: readonly Pick<Expiring, 'table' | 'condition'>[] = Object.values(tables).flat();

export function purgeQueries(db: Database): Pick<StorageAdapter, 'purgeExpired'> {
  return {
    async purgeExpired({ now, limit = Infinity, onProgress = () => undefined }) {
      const times = { now, endedBefore: new Date(now.getTime() - retentionMs) };
      const counts: PurgeCounts = {};
      for (const [name, parts] of Object.entries(tables)) {
        let removed = 0;
        for (const part of parts) removed += await removeFrom(db, part, times, limit - removed, onProgress);
        counts[name] = removed;
      }
      return counts;
    },
  };
}

async function removeFrom(
  db: Database,
  { table, key: [key, secondKey], condition }: Expiring,
  times: { now: Date; endedBefore: Date },
  limit: number,
  onProgress: (removed: number) => void,
): Promise<number> {
  const bindings: Bindings = condition.includes(':endedBefore')
    ? { endedBefore: times.endedBefore }
    : { now: times.now };
  let removed = 0;
  while (removed < limit) {
    const batch = Math.min(batchSize, limit - removed);
    const select = `select ${key} as k1, ${secondKey ?? `''`} as k2 from ${table} where ${condition} ${limitOf(batch)}`;
    const removedBefore = removed;
    const rows = await db.query(
      select,
      bindings,
      (row) => [row['k1'] as string, row['k2'] as string] as const,
    );
    // The condition again: a row may have been renewed or replaced in the meantime.
    if (secondKey === undefined) {
      const remove = `delete from ${table} where ${key} in (:keys*) and (${condition})`;
      removed += await db.execute(remove, { ...bindings, keys: rows.map(([first]) => first) });
    } else {
      const remove = `delete from ${table} where ${key} = :first and ${secondKey} in (:seconds*) and (${condition})`;
      for (const first of new Set(rows.map(([each]) => each))) {
        const seconds = rows.flatMap(([each, second]) => (each === first ? [second] : []));
        removed += await db.execute(remove, { ...bindings, first, seconds });
      }
    }
    if (removed > removedBefore) onProgress(removed - removedBefore);
    if (rows.length < batch) break;
  }
  return removed;
}
