/**
 * The promises of `StorageAdapter` as a test suite, for adapters of ours and of others.
 *
 * One adapter is opened for the whole suite, and every test works on users, addresses and keys of its own, so that
 * a database that takes seconds to open is opened once. Give it a database that holds nothing you need: the
 * tests of `purgeExpired` remove every dead row, whoever's it is.
 *
 * A promise about a repository that the adapter does not have passes: optional is optional.
 */
import type { StorageAdapter } from '../storage/adapter.js';
import { abandonedGuestPromises } from './conformance/abandoned-guests.js';
import { accountMembershipPromises } from './conformance/account-memberships.js';
import { accountPromises } from './conformance/accounts.js';
import { apiKeyPromises } from './conformance/api-keys.js';
import { credentialPromises } from './conformance/credentials.js';
import { emailChangePromises } from './conformance/email-changes.js';
import { guestPromises } from './conformance/guests.js';
import { identityPromises } from './conformance/identities.js';
import { malformedInputPromises } from './conformance/malformed-input.js';
import { oneTimeCodePromises } from './conformance/one-time-codes.js';
import { orgActorPromises } from './conformance/org-actors.js';
import { orgInvitePromises } from './conformance/org-invites.js';
import { orgMembershipPromises } from './conformance/org-memberships.js';
import { orgPromises } from './conformance/orgs.js';
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
import type { Promises } from './conformance/suite.js';
import { totpPromises } from './conformance/totp.js';
import { userPromises } from './conformance/users.js';

/** What the suite needs of a test framework. Jest, Vitest and Mocha have it as globals. */
export interface ConformanceRunner {
  describe: (name: string, body: () => void) => unknown;
  it: (name: string, body: () => Promise<void>, timeoutMs?: number) => unknown;
  /** Runs once after the tests: `afterAll` or `after`. Without it, the last test closes the adapter. */
  after?: (body: () => Promise<void>) => unknown;
}

const timeoutMs = 60_000;

const chapters: Record<string, (promise: Promises) => void> = {
  users: userPromises,
  'claim, reset and revocation': revocationPromises,
  'changes of a password': passwordChangePromises,
  'changes of an address': emailChangePromises,
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
  'second factors': totpPromises,
  'recovery codes': recoveryCodePromises,
  passkeys: credentialPromises,
  accounts: accountPromises,
  'accounts of members': accountMembershipPromises,
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
): void {
  let opened: Promise<StorageAdapter> | undefined;
  const adapter = () => (opened ??= openAndInit(open));
  const close = async () => (await opened)?.close();

  runner.describe(`storage adapter: ${name}`, () => {
    for (const [chapter, promises] of Object.entries(chapters)) {
      runner.describe(chapter, () => {
        promises((sentence, proof) => {
          runner.it(sentence, async () => proof(await adapter()), timeoutMs);
        });
      });
    }
    runner.it('init() may be called again', async () => (await adapter()).init(), timeoutMs);
    if (runner.after) runner.after(close);
    else runner.it('closes', close, timeoutMs);
  });
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
