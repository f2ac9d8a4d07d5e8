/**
 * A StorageAdapter without a database, for tests and trials: its data is lost when the process
 * ends. Every method is atomic because it reads and writes in one synchronous block, without an
 * `await` in between. Keep it that way.
 */
import type { StorageAdapter } from '../../storage/adapter.js';
import { memoryAccounts } from './accounts.js';
import { memoryApiKeys } from './api-keys.js';
import { memoryAudit } from './audit.js';
import { memoryCredentials } from './credentials.js';
import { memoryExports } from './exports.js';
import { memoryGuests } from './guests.js';
import { memoryIdentities } from './identities.js';
import { memoryImports } from './imports.js';
import { memoryInspection } from './inspection.js';
import { memoryLockdowns } from './lockdowns.js';
import { memoryOAuthServer } from './oauth-server.js';
import { memoryOneTimeCodes } from './one-time-codes.js';
import { memoryOrgInvites } from './org-invites.js';
import { memoryOrgMemberships } from './org-memberships.js';
import { memoryOrgs } from './orgs.js';
import { memoryRateLimits } from './rate-limits.js';
import { memoryRefreshFamilies } from './refresh-families.js';
import { memorySessionBindings } from './session-bindings.js';
import { memorySessions } from './sessions.js';
import { memorySingleUseTokens } from './single-use-tokens.js';
import { memoryStatistics } from './statistics.js';

import { memoryTotp } from './totp.js';
import { memoryTrustedBrowsers } from './trusted-browsers.js';
import { emptyTables, removeWhere } from './tables.js';
import { memoryUserAdministration } from './user-administration.js';
import { memoryUsers } from './users.js';

/** How long expired codes and invites are kept (adapters/postgres/purge.ts). */
const retentionMs = 24 * 60 * 60 * 1000;

/** Returns a storage adapter that keeps its data in the memory of this process. */
export function memoryAdapter(): StorageAdapter {
  const tables = emptyTables();
  const { sessions, tokens, codes, counters, families, invites, trustedBrowsers } = tables;
  const { activeUsers, oauthClients, oauthGrants, oauthTokens, statistics } = tables;
  return {
    users: memoryUsers(tables),
    identities: memoryIdentities(tables),
    sessions: memorySessions(tables),
    sessionBindings: memorySessionBindings(tables),
    oneTimeCodes: memoryOneTimeCodes(tables),
    singleUseTokens: memorySingleUseTokens(tables),
    rateLimits: memoryRateLimits(tables),
    guests: memoryGuests(tables),
    refreshFamilies: memoryRefreshFamilies(tables),
    apiKeys: memoryApiKeys(tables),
    orgs: { ...memoryOrgs(tables), ...memoryOrgMemberships(tables), ...memoryOrgInvites(tables) },
    totp: memoryTotp(tables),
    trustedBrowsers: memoryTrustedBrowsers(tables),
    credentials: memoryCredentials(tables),
    oauthServer: memoryOAuthServer(tables),
    accounts: memoryAccounts(tables),
    userAdministration: memoryUserAdministration(tables),
    imports: memoryImports(tables),
    exports: memoryExports(tables),
    lockdowns: memoryLockdowns(tables),
    audit: memoryAudit(tables),
    statistics: memoryStatistics(tables),
    // A lookup does not leave the process, so nothing is gained by remembering its result.
    sessionChanges: { subscribe: () => ({ isCurrent: () => false, close: () => Promise.resolve() }) },
    inspection: memoryInspection(tables),
    init: () => Promise.resolve(),
    close: () => Promise.resolve(),
    async clear() {
      for (const table of Object.values(tables) as object[]) {
        if (table instanceof Map || table instanceof Set) table.clear();
      }
    },
    async purgeExpired({ now, limit, onProgress }) {
      const time = now.getTime();
      const hasLongEnded = (row: { expiresAt: Date }) => row.expiresAt.getTime() + retentionMs <= time;
      const counts = {
        sessions: removeWhere(sessions, (row) => row.revokedAt !== null || row.expiresAt <= now, limit),
        singleUseTokens: removeWhere(tokens, (row) => row.expiresAt <= now, limit),
        oneTimeCodes: removeWhere(codes, hasLongEnded, limit),
        rateLimits: removeWhere(counters, (row) => row.resetAt <= time, limit),
        refreshFamilies: removeWhere(families, (row) => row.expiresAt <= now, limit),
        orgInvites: removeWhere(invites, hasLongEnded, limit),
        oauthClients: removeWhere(
          oauthClients,
          ({ expiresAt }) => expiresAt !== null && expiresAt <= now,
          limit,
        ),
        oauthGrants: removeWhere(oauthGrants, (row) => row.expiresAt <= now, limit),
        oauthTokens: removeWhere(oauthTokens, (row) => row.expiresAt <= now, limit),
        trustedBrowsers: removeWhere(trustedBrowsers, (row) => row.expiresAt <= now, limit),
        statistics: removeWhere(statistics, ({ expiresAt }) => expiresAt !== null && expiresAt <= now, limit),
        activeUsers: removeWhere(activeUsers, (row) => row.expiresAt <= now, limit),
      };
      const removed = Object.values(counts).reduce((sum, count) => sum + count, 0);
      if (removed > 0) onProgress?.(removed);
      return counts;
    },
  };
}
