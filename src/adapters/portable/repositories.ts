/** Every repository in portable SQL: short locked transactions. */
import { elementaryAttempt } from '../shared/elementary-attempt.js';
import { accountQueries } from './accounts.js';
import { apiKeyQueries } from './api-keys.js';
import { auditQueries } from './audit.js';
import { credentialQueries } from './credentials.js';
import { exportQueries, readPortableApps } from './exports.js';
import { guestQueries } from './guests.js';
import { identityQueries } from './identities.js';
import type { Database } from './database.js';
import { importQueries } from './imports/imports.js';
import { insertPortableFactors } from './imports/new-users.js';
import { lockdownQueries } from './lockdowns.js';
import { oauthServerQueries } from './oauth-server.js';
import { oneTimeCodeQueries } from './one-time-codes.js';
import { orgInviteQueries } from './org-invites.js';
import { orgMembershipQueries } from './org-memberships.js';
import { orgQueries } from './orgs.js';
import { rateLimitQueries } from './rate-limits.js';
import { refreshFamilyQueries } from './refresh-families.js';
import { revocationQueries } from './revocations.js';
import { sessionQueries } from './sessions.js';
import { sessionBindingQueries } from './session-bindings.js';
import { singleUseTokenQueries } from './single-use-tokens.js';
import { statisticsQueries } from './statistics.js';
import { totpQueries } from './totp.js';
import { trustedBrowserQueries } from './trusted-browsers.js';
import { userAdministrationQueries } from './user-administration.js';
import { userQueries } from './users.js';

export function portableRepositories(db: Database) {
  const { claim, resetPassword, changePassword, changeEmail, revokeAll, revokeAllOnce } =
    revocationQueries(db);
  const { attemptAndCorrect, ...oneTimeCodes } = oneTimeCodeQueries(db);
  const { correctAndStart, hitAndFindUser, ...rateLimits } = rateLimitQueries(db);
  return {
    users: { ...userQueries(db), claim, resetPassword, changePassword },
    identities: identityQueries(db),
    sessions: { ...sessionQueries(db), revokeAll, revokeAllOnce },
    sessionBindings: sessionBindingQueries(db),
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
    oauthServer: oauthServerQueries(db),
    accounts: { ...accountQueries(db), changeEmail },
    userAdministration: userAdministrationQueries(db),
    imports: importQueries(db, insertPortableFactors),
    exports: exportQueries(db, readPortableApps),
    lockdowns: lockdownQueries(db),
    audit: auditQueries(db),
    statistics: statisticsQueries(db),
  };
}
