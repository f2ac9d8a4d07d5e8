/** A StorageAdapter over any knex instance that speaks PostgreSQL; knexAdapter and pgliteAdapter open one. */
import type { Knex } from 'knex';
import type { StorageAdapter } from '../../storage/adapter.js';
import { accountQueries } from './accounts.js';
import { apiKeyQueries } from './api-keys.js';
import { credentialQueries } from './credentials.js';
import { database } from './database.js';
import { guestQueries } from './guests.js';
import { identityQueries } from './identities.js';
import { migrate } from './migrations/migrate.js';
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
import { totpQueries } from './totp.js';
import { userQueries } from './users.js';

/** Where the knex instance comes from, and how to give it back. */
export interface KnexSource {
  /** Called for every statement: the first call opens, the others answer the same. */
  open: () => Promise<Knex>;
  close: () => Promise<void>;
}

export function sqlAdapter(source: KnexSource): StorageAdapter {
  const db = database(source.open);
  const { claim, resetPassword, changePassword, changeEmail, revokeAll } = revocationQueries(db);
  return {
    users: { ...userQueries(db), claim, resetPassword, changePassword },
    identities: identityQueries(db),
    sessions: { ...sessionQueries(db), revokeAll },
    oneTimeCodes: oneTimeCodeQueries(db),
    singleUseTokens: singleUseTokenQueries(db),
    rateLimits: rateLimitQueries(db),
    guests: guestQueries(db),
    refreshFamilies: refreshFamilyQueries(db),
    apiKeys: apiKeyQueries(db),
    orgs: { ...orgQueries(db), ...orgMembershipQueries(db), ...orgInviteQueries(db) },
    totp: totpQueries(db),
    credentials: credentialQueries(db),
    accounts: { ...accountQueries(db), changeEmail },
    ...purgeQueries(db),
    init: () => migrate(db),
    close: source.close,
  };
}

/** A source that opens an instance of its own at the first statement, and so destroys it. */
export function ownedKnex(create: () => Promise<Knex>): KnexSource {
  let opening: Promise<Knex> | null = null;
  return {
    open: () =>
      (opening ??= create().catch((error: unknown) => {
        // Tried again by the next statement: what was in the way may be gone by then.
        opening = null;
        throw error;
      })),
    async close() {
      await (await opening)?.destroy();
    },
  };
}
