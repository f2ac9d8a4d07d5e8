import type { StorageInspection } from '../../storage/inspection.js';
import type { Tables } from './tables.js';

export function memoryInspection(tables: Tables): StorageInspection {
  return {
    isTemporary: true,
    migrations: () => Promise.resolve({ missing: [], unknown: [] }),
    missingIndexes: () => Promise.resolve([]),
    async unpurged(before) {
      const hasExpired = (row: { expiresAt: Date | null }) =>
        row.expiresAt !== null && row.expiresAt <= before;
      const wasRevoked = (row: { revokedAt: Date | null }) =>
        row.revokedAt !== null && row.revokedAt <= before;
      const found = {
        svc_sessions: [...tables.sessions.values()].some((row) => hasExpired(row) || wasRevoked(row)),
        svc_single_use_tokens: [...tables.tokens.values()].some(hasExpired),
        svc_one_time_codes: [...tables.codes.values()].some(hasExpired),
        svc_rate_limits: [...tables.counters.values()].some(({ resetAt }) => resetAt <= before.getTime()),
        svc_refresh_families: [...tables.families.values()].some(hasExpired),
        svc_org_invites: [...tables.invites.values()].some(hasExpired),
        svc_oauth_clients: [...tables.oauthClients.values()].some(hasExpired),
        svc_oauth_grants: [...tables.oauthGrants.values()].some(hasExpired),
        svc_oauth_tokens: [...tables.oauthTokens.values()].some(hasExpired),
        svc_trusted_browsers: [...tables.trustedBrowsers.values()].some(hasExpired),
        svc_statistics: [...tables.statistics.values()].some(hasExpired),
        svc_active_users: [...tables.activeUsers.values()].some(hasExpired),
      };
      return Object.entries(found).flatMap(([table, isFound]) => (isFound ? [table] : []));
    },
  };
}
