/**
 * The promises of `StorageAdapter` as a test suite, for adapters of ours and of others.
 *
 * One adapter is opened for the whole suite, and every test works on users, addresses and keys of its own, so that
 * a database that takes seconds to open is opened once. Give it a database that holds nothing you need: the
 * tests of `purgeExpired` remove every dead row, whoever's it is.
 *
 * A test about a repository that the adapter does not have is skipped: optional is optional.
 */
import assert from 'node:assert/strict';
import { hasMethod } from '../kit/option-types.js';
import type { StorageAdapter } from '../storage/adapter.js';
import { abandonedGuestPromises } from './conformance/abandoned-guests.js';
import { accountMembershipPromises } from './conformance/account-memberships.js';
import { accountStatePromises } from './conformance/account-states.js';
import { accountPromises } from './conformance/accounts.js';
import { apiKeyPromises } from './conformance/api-keys.js';
import { canonicalAddressPromises } from './conformance/canonical-addresses.js';
import { credentialPromises } from './conformance/credentials.js';
import { emailChangePromises } from './conformance/email-changes.js';
import { guestPromises } from './conformance/guests.js';
import { identityPromises } from './conformance/identities.js';
import { inviteDecisionPromises } from './conformance/invite-decisions.js';
import { listPagePromises } from './conformance/list-pages.js';
import { malformedInputPromises } from './conformance/malformed-input.js';
import { oneTimeCodePromises } from './conformance/one-time-codes.js';
import { orgActorPromises } from './conformance/org-actors.js';
import { orgInvitePromises } from './conformance/org-invites.js';
import { orgMembershipPromises } from './conformance/org-memberships.js';
import { orgPromises } from './conformance/orgs.js';
import { ownRecordPromises } from './conformance/own-records.js';
import { passwordChangePromises } from './conformance/password-changes.js';
import { purgePromises } from './conformance/purge.js';
import { rateLimitPromises } from './conformance/rate-limits.js';
import { recoveryCodePromises } from './conformance/recovery-codes.js';
import { refreshFamilyPromises } from './conformance/refresh-families.js';
import { revokedInvitePromises } from './conformance/revoked-invites.js';
import { revocationPromises } from './conformance/revocations.js';
import { sessionEndingPromises } from './conformance/session-endings.js';
import { sessionPromises } from './conformance/sessions.js';
import { singleUseTokenPromises } from './conformance/single-use-tokens.js';
import type { Capability, Promises } from './conformance/suite.js';
import { reencryptionPromises } from './conformance/reencryption.js';
import { totpPromises } from './conformance/totp.js';
import { userPromises } from './conformance/users.js';

/** What the suite needs of a test framework. Jest, Vitest and Mocha have it as globals. */
export interface ConformanceRunner {
  describe: (name: string, body: () => void) => unknown;
  it: RegisterTest & { skip?: RegisterTest };
  /** Runs once after the tests: `afterAll` or `after`. Without it, the last test closes the adapter. */
  after?: (body: () => Promise<void>) => unknown;
}

type RegisterTest = (name: string, body: () => Promise<void>, timeoutMs?: number) => unknown;

export interface ConformanceOptions {
  /**
   * Optional repositories that the adapter leaves out; the suite fails if it has one after all. The tests about them are reported as
   * skipped. Without this list that takes a framework that can skip a running test (node:test, Vitest, Mocha). Jest cannot: there
   * such tests pass, with a warning on the console.
   */
  without?: readonly Capability[];
}

const timeoutMs = 60_000;

const chapters: Record<string, (promise: Promises) => void> = {
  users: userPromises,
  'claim, reset and revocation': revocationPromises,
  'changes of a password': passwordChangePromises,
  'changes of an address': emailChangePromises,
  'states of an account': accountStatePromises,
  'ends of all sessions': sessionEndingPromises,
  identities: identityPromises,
  sessions: sessionPromises,
  'one-time codes': oneTimeCodePromises,
  'single-use tokens': singleUseTokenPromises,
  'rate limits': rateLimitPromises,
  guests: guestPromises,
  'abandoned guests': abandonedGuestPromises,
  'refresh families': refreshFamilyPromises,
  'API keys': apiKeyPromises,
  organisations: orgPromises,
  memberships: orgMembershipPromises,
  invites: orgInvitePromises,
  'invites that are withdrawn': revokedInvitePromises,
  'actors in organisations': orgActorPromises,
  'decisions on invites and owners': inviteDecisionPromises,
  'pages of lists': listPagePromises,
  'revocations of own records': ownRecordPromises,
  'second factors': totpPromises,
  'secrets under another key': reencryptionPromises,
  'recovery codes': recoveryCodePromises,
  passkeys: credentialPromises,
  accounts: accountPromises,
  'accounts of members': accountMembershipPromises,
  'canonical addresses': canonicalAddressPromises,
  'malformed input': malformedInputPromises,
  purge: purgePromises,
};

/**
 * Registers the suite. `open` is called once, at the first test; the suite calls `init()` and `close()`.
 * With node:test, hand in its functions: `describeStorageAdapter('mine', open, { describe, it, after })`.
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
    for (const [chapter, promises] of Object.entries(chapters)) {
      runner.describe(chapter, () => {
        promises((sentence, proof, needed = []) => {
          if (needed.some((each) => without.includes(each))) {
            runner.it.skip?.(sentence, async () => undefined, timeoutMs);
            return;
          }
          // No named parameter: Jest and Mocha would take it for a callback.
          const test = async function (this: unknown, ...context: unknown[]) {
            const storage = await adapter();
            const missing = needed.filter((each) => storage[each] === undefined);
            if (missing.length > 0)
              skipRunningTest([context[0], this], `the adapter has no ${missing.join(', ')}`);
            else await proof(storage);
          };
          runner.it(sentence, test, timeoutMs);
        });
      });
    }
    for (const each of without) {
      runner.it(
        `leaves out ${each}, as declared`,
        async () => assert.equal((await adapter())[each], undefined),
        timeoutMs,
      );
    }
    runner.it('init() may be called again', async () => (await adapter()).init(), timeoutMs);
    if (runner.after) runner.after(close);
    else runner.it('closes', close, timeoutMs);
  });
}

/** Marks the running test as skipped if its framework can: by the context of the test, or by `this`. */
function skipRunningTest(contexts: readonly unknown[], reason: string): void {
  const able = contexts.find((each) => hasMethod(each, 'skip')) as { skip(reason: string): void } | undefined;
  if (able) able.skip(reason);
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
  if (!describe || !it) throw new Error('No global describe and it: hand in those of your test framework.');
  return { describe, it, after: afterAll ?? after };
}
