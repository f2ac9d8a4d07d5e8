/**
 * The guarantees of `StorageAdapter` as a test suite, for the adapters of this package and for
 * yours.
 *
 * The suite opens one adapter, so that a database that takes seconds to open is opened only once.
 * Every test creates its own users, addresses and keys. Use a database without data that you need:
 * the tests of `purgeExpired` remove expired rows of all users.
 *
 * Tests of an optional repository that the adapter does not have are skipped.
 */
import assert from 'node:assert/strict';
import { hasMethod } from '../src/core/support/has-method.js';
import type { StorageAdapter } from '../src/storage/adapter.js';
import { describeAbandonedGuests } from './conformance/abandoned-guests.js';
import { describeActingUsers } from './conformance/acting-users.js';
import { describeAccountMemberships } from './conformance/account-memberships.js';
import { describeAccountStates } from './conformance/account-states.js';
import { describeAccounts } from './conformance/accounts.js';
import { describeApiKeys } from './conformance/api-keys.js';
import { describeAudit } from './conformance/audit.js';
import { describeCanonicalAddresses } from './conformance/canonical-addresses.js';
import { describeCodesWithLinks } from './conformance/codes-with-links.js';
import { describeCredentials } from './conformance/credentials.js';
import { describePasskeyDetails } from './conformance/passkey-details.js';
import { describeEmailChanges } from './conformance/email-changes.js';
import { describeFastPaths } from './conformance/fast-paths.js';
import { describeGuests } from './conformance/guests.js';
import { describeIdentities } from './conformance/identities.js';
import { describeExports } from './conformance/exports.js';
import { describeStatistics } from './conformance/statistics.js';
import { describeImports } from './conformance/imports.js';
import { describeInspection } from './conformance/inspection.js';
import { describeInviteDecisions } from './conformance/invite-decisions.js';
import { describeListPages } from './conformance/list-pages.js';
import { describeLockdowns } from './conformance/lockdowns.js';
import { describeMailedResets } from './conformance/mailed-resets.js';
import { describeMalformedInput } from './conformance/malformed-input.js';
import { describeOAuthClients } from './conformance/oauth-clients.js';
import { describeOAuthDecisions } from './conformance/oauth-decisions.js';
import { describeOAuthServer } from './conformance/oauth-server.js';
import { describeOneTimeCodes } from './conformance/one-time-codes.js';
import { describeOrgActors } from './conformance/org-actors.js';
import { describeOrgInvites } from './conformance/org-invites.js';
import { describeOrgMemberships } from './conformance/org-memberships.js';
import { describeOrgs } from './conformance/orgs.js';
import { describeOwnRecords } from './conformance/own-records.js';
import { describePasswordChanges } from './conformance/password-changes.js';
import { describePurge } from './conformance/purge.js';
import { describeRateLimits } from './conformance/rate-limits.js';
import { describeRecoveryCodes } from './conformance/recovery-codes.js';
import { describeRefreshFamilies } from './conformance/refresh-families.js';
import { describeRevokedInvites } from './conformance/revoked-invites.js';
import { describeRevocations } from './conformance/revocations.js';
import { describeSessionBindings } from './conformance/session-bindings.js';
import { describeSessionChanges } from './conformance/session-changes.js';
import { describeSessionEndings } from './conformance/session-endings.js';
import { describeSessions } from './conformance/sessions.js';
import { describeSignInLimits } from './conformance/sign-in-limits.js';
import { describeSingleUseTokens } from './conformance/single-use-tokens.js';
import type { Capability, RegisterConformanceTest } from './conformance/suite.js';
import { describeReencryption } from './conformance/reencryption.js';
import { describeTotp } from './conformance/totp.js';
import { describeTotpApps } from './conformance/totp-apps.js';
import { describeRevocationsOnce } from './conformance/revocations-once.js';
import { describeSessionTrust } from './conformance/session-trust.js';
import { describePasskeyProofs } from './conformance/passkey-proofs.js';
import { describeTrustedBrowsers } from './conformance/trusted-browsers.js';
import { describeUserBlocks } from './conformance/user-blocks.js';
import { describeUserLists } from './conformance/user-lists.js';
import { describeUserLanguages } from './conformance/user-languages.js';
import { describeUserUpdates } from './conformance/user-updates.js';
import { describeExternalIds } from './conformance/external-ids.js';
import { describeUsers } from './conformance/users.js';

/**
 * The functions of a test framework that the suite uses. Jest, Vitest and Mocha have them as
 * globals.
 */
export interface ConformanceRunner {
  describe: (name: string, body: () => void) => unknown;
  it: RegisterTest & { skip?: RegisterTest };
  /**
   * Runs once after the tests: `afterAll` or `after`. Without it, the last test closes the adapter.
   */
  after?: (body: () => Promise<void>) => unknown;
}

type RegisterTest = (name: string, body: () => Promise<void>, timeoutMs?: number) => unknown;

export interface ConformanceOptions {
  /**
   * Optional repositories and groups that the adapter does not have; the suite fails if it has one of them.
   * Their tests are reported as skipped. Without this list, tests of a missing repository are
   * skipped while they run, which node:test, Vitest and Mocha support. Jest does not: there such
   * tests pass, with a warning on the console.
   */
  without?: readonly Capability[];
}

const timeoutMs = 60_000;

const chapters: Record<string, (test: RegisterConformanceTest) => void> = {
  users: describeUsers,
  'claim, reset and revocation': describeRevocations,
  'password changes': describePasswordChanges,
  'address changes': describeEmailChanges,
  'account states': describeAccountStates,
  'mailed resets': describeMailedResets,
  'ending all sessions': describeSessionEndings,
  identities: describeIdentities,
  sessions: describeSessions,
  'limits of sign-ins': describeSignInLimits,
  'bound sessions': describeSessionBindings,
  'reports of session changes': describeSessionChanges,
  'one-time codes': describeOneTimeCodes,
  'codes with links': describeCodesWithLinks,
  'single-use tokens': describeSingleUseTokens,
  'rate limits': describeRateLimits,
  'fast paths': describeFastPaths,
  guests: describeGuests,
  'abandoned guests': describeAbandonedGuests,
  'refresh families': describeRefreshFamilies,
  'API keys': describeApiKeys,
  organizations: describeOrgs,
  memberships: describeOrgMemberships,
  invites: describeOrgInvites,
  'revoked invites': describeRevokedInvites,
  'actors in organizations': describeOrgActors,
  'decisions on invites and owners': describeInviteDecisions,
  'list pagination': describeListPages,
  'revocation by owner': describeOwnRecords,
  'second factors': describeTotp,
  'authenticator apps': describeTotpApps,
  'trusted browsers': describeTrustedBrowsers,
  'the end of all sessions by a link': describeRevocationsOnce,
  'trust in the browser of a session': describeSessionTrust,
  're-encryption of secrets': describeReencryption,
  'recovery codes': describeRecoveryCodes,
  passkeys: describeCredentials,
  'names and last uses of passkeys': describePasskeyDetails,
  'passkeys of proven accounts': describePasskeyProofs,
  'OAuth server': describeOAuthServer,
  'OAuth clients': describeOAuthClients,
  'OAuth decisions': describeOAuthDecisions,
  accounts: describeAccounts,
  'accounts of members': describeAccountMemberships,
  'lists of users': describeUserLists,
  'changes by administrators': describeUserUpdates,
  'external ids': describeExternalIds,
  'audit log': describeAudit,
  'languages of users': describeUserLanguages,
  'blocked users': describeUserBlocks,
  imports: describeImports,
  exports: describeExports,
  statistics: describeStatistics,
  'acting users': describeActingUsers,
  'canonical addresses': describeCanonicalAddresses,
  'malformed input': describeMalformedInput,
  purge: describePurge,
  inspection: describeInspection,
  lockdowns: describeLockdowns,
};

/**
 * Registers the suite. It calls `open` once, at the first test, then `init()`, and `close()` at the
 * end. With node:test, pass its functions: `describeStorageAdapter('mine', open, { describe, it,
 * after })`.
 */
export function describeStorageAdapter(
  name: string,
  open: () => Promise<StorageAdapter> | StorageAdapter,
  runner: ConformanceRunner = globalRunner(),
  { without = [] }: ConformanceOptions = {},
): void {
  let opened: Promise<StorageAdapter> | undefined;
  const adapter = () => (opened ??= openAndInit(open));
  const close = async () => (await opened)?.close();

  runner.describe(`storage adapter: ${name}`, () => {
    for (const [chapter, register] of Object.entries(chapters)) {
      runner.describe(chapter, () => {
        register((title, body, required = []) => {
          if (required.some((capability) => without.includes(capability))) {
            runner.it.skip?.(title, async () => undefined, timeoutMs);
            return;
          }
          // No named parameter: Jest and Mocha would treat it as a callback.
          const test = async function (this: unknown, ...context: unknown[]) {
            const storage = await adapter();
            const missing = required.filter((capability) => storage[capability] === undefined);
            if (missing.length > 0)
              skipRunningTest([context[0], this], `the adapter has no ${missing.join(', ')}`);
            else await body(storage);
          };
          runner.it(title, test, timeoutMs);
        });
      });
    }
    for (const capability of without) {
      runner.it(
        `the adapter does not have ${capability}, as declared in "without"`,
        async () => assert.equal((await adapter())[capability], undefined),
        timeoutMs,
      );
    }
    runner.it('init() can be called again', async () => (await adapter()).init(), timeoutMs);
    if (runner.after) runner.after(close);
    else runner.it('the adapter closes', close, timeoutMs);
  });
}

/**
 * Marks the running test as skipped if the framework supports it: by the context of the test, or by
 * `this`.
 */
function skipRunningTest(contexts: readonly unknown[], reason: string): void {
  const skippable = contexts.find((context) => hasMethod(context, 'skip')) as
    { skip(reason: string): void } | undefined;
  if (skippable) skippable.skip(reason);
  else console.warn(`Not tested: ${reason}. List it in "without" to have the test reported as skipped.`);
}

async function openAndInit(open: () => Promise<StorageAdapter> | StorageAdapter): Promise<StorageAdapter> {
  const adapter = await open();
  await adapter.init();
  return adapter;
}

function globalRunner(): ConformanceRunner {
  const { describe, it, afterAll, after } = globalThis as unknown as Partial<ConformanceRunner> & {
    afterAll?: ConformanceRunner['after'];
  };
  if (!describe || !it) throw new Error('No global describe and it: pass those of your test framework.');
  return { describe, it, after: afterAll ?? after };
}
