/** The StorageAdapter for the databases other than PostgreSQL: short locked transactions in portable SQL. */
import type { Knex } from 'knex';
import type { StorageAdapter } from '../../storage/adapter.js';
import { accountQueries } from './accounts.js';
import { apiKeyQueries } from './api-keys.js';
import { credentialQueries } from './credentials.js';
import { database } from './database.js';
import type { Dialect } from './dialect.js';
import { guestQueries } from './guests.js';
import { elementaryAttempt } from '../elementary-attempt.js';
import { identityQueries } from './identities.js';
import { migrate, tablesWithRows } from './migrations/migrate.js';
import { oneTimeCodeQueries } from './one-time-codes.js';
import { orgInviteQueries } from './org-invites.js';
import { orgMembershipQueries } from './org-memberships.js';
import { orgQueries } from './orgs.js';
import { purgeQueries } from './purge.js';
import { rateLimitQueries } from './rate-limits.js';
import { refreshFamilyQueries } from './refresh-families.js';
import { revocationQueries } from './revocations.js';
import { sessionQueries } from './sessions.js';
import { singleUseTokenQueries } from './single-use-tokens.js';
import { readMs } from './tables.js';
import { totpQueries } from './totp.js';
import { trustedBrowserQueries } from './trusted-browsers.js';
import { userAdministrationQueries } from './user-administration.js';
import { userQueries } from './users.js';

/** Everything that a database implements. */
export type PortableStorage = Required<Omit<StorageAdapter, 'sessionChanges' | 'close'>>;

/** @param open Called for every statement. The first call opens an instance, later calls return it. */
export function portableStorage(open: () => Promise<Knex>, dialect: Dialect): PortableStorage {
  const db = database(open, dialect);
  const { claim, resetPassword, changePassword, changeEmail, revokeAll } = revocationQueries(db);
  const { attemptAndCorrect, ...oneTimeCodes } = oneTimeCodeQueries(db);
  const { correctAndStart, hitAndFindUser, ...rateLimits } = rateLimitQueries(db);
  return {
    users: { ...userQueries(db), claim, resetPassword, changePassword },
    identities: identityQueries(db),
    sessions: { ...sessionQueries(db), revokeAll },
    oneTimeCodes: { ...oneTimeCodes, attempt: elementaryAttempt(attemptAndCorrect) },
    singleUseTokens: singleUseTokenQueries(db),
    rateLimits,
    fastPaths: { attemptAndCorrect, correctAndStart, hitAndFindUser },
    guests: guestQueries(db),
    refreshFamilies: refreshFamilyQueries(db),
    apiKeys: apiKeyQueries(db),
    orgs: { ...orgQueries(db), ...orgMembershipQueries(db), ...orgInviteQueries(db) },
    totp: totpQueries(db),
    trustedBrowsers: trustedBrowserQueries(db),
    credentials: credentialQueries(db),
    accounts: { ...accountQueries(db), changeEmail },
    userAdministration: userAdministrationQueries(db),
    ...purgeQueries(db),
    async init() {
      await dialect.check((sql) => db.query(sql, {}, (row) => row));
      await migrate(db);
    },
    clear: () =>
      db.transaction(async (transaction) => {
        for (const table of tablesWithRows) await transaction.execute(`delete from ${table}`, {});
      }),
    async currentTime() {
      const time = await db.find('select {now} as now_ms', {}, (row) => readMs(row['now_ms']));
      return time?.getTime() ?? Number.NaN;
    },
  };
}
