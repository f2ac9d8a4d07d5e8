/**
 * The conformance suite on an adapter without the optional repositories: their tests are skipped.
 */
import { memoryAdapter } from '../../src/adapters/memory/memory-adapter.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import { describeStorageAdapter } from '../../testing/storage-conformance.js';

function withoutCapabilities(): StorageAdapter {
  const { users, identities, sessions, oneTimeCodes, singleUseTokens, rateLimits, ...whole } =
    memoryAdapter();
  return {
    users,
    identities,
    sessions,
    oneTimeCodes,
    singleUseTokens,
    rateLimits,
    init: () => whole.init(),
    close: () => whole.close(),
    async purgeExpired(options) {
      const counts = await whole.purgeExpired(options);
      const own = ['sessions', 'oneTimeCodes', 'singleUseTokens', 'rateLimits'];
      return Object.fromEntries(Object.entries(counts).filter(([table]) => own.includes(table)));
    },
  };
}

const without = [
  'guests',
  'refreshFamilies',
  'apiKeys',
  'orgs',
  'totp',
  'trustedBrowsers',
  'credentials',
  'accounts',
  'oauthServer',
  'userAdministration',
  'imports',
  'exports',
  'lockdowns',
  'sessionBindings',
  'statistics',
  'fastPaths',
  'sessionChanges',
  'inspection',
  'audit',
] as const;

describeStorageAdapter('without optional repositories', withoutCapabilities, undefined, { without });

describe('the conformance suite', () => {
  type Report = Record<'passed' | 'skipped' | 'failed', number>;

  /** Runs the suite with its own test framework, and counts the results. */
  async function reportOf(
    options: Parameters<typeof describeStorageAdapter>[3],
    context: (report: Report) => unknown,
  ): Promise<Report> {
    const report = { passed: 0, skipped: 0, failed: 0 };
    const bodies: ((...args: unknown[]) => Promise<void>)[] = [];
    const it = Object.assign((_name: string, body: () => Promise<void>) => void bodies.push(body), {
      skip: () => void (report.skipped += 1),
    });
    const runner = { describe: (_name: string, body: () => void) => body(), it };
    describeStorageAdapter('counted', withoutCapabilities, runner, options);
    for (const body of bodies) {
      await body(context(report)).then(
        () => (report.passed += 1),
        () => (report.failed += 1),
      );
    }
    return report;
  }

  it('describeStorageAdapter() reports tests of missing repositories as skipped, whether declared or detected at run time', async () => {
    const declared = await reportOf({ without }, () => undefined);
    // As in node:test, `skip` marks the test, which then ends.
    const detected = await reportOf({}, (report) => ({ skip: () => void (report.skipped += 1) }));
    expect(declared.failed + detected.failed).toBe(0);
    expect(declared.skipped).toBeGreaterThan(50);
    expect(detected.skipped).toBe(declared.skipped);
  });

  it('describeStorageAdapter() fails if a repository is declared as left out but exists', async () => {
    const names: string[] = [];
    const bodies: (() => Promise<void>)[] = [];
    const it = (name: string, body: () => Promise<void>) => {
      names.push(name);
      bodies.push(body);
    };
    const runner = { describe: (_name: string, body: () => void) => body(), it };
    describeStorageAdapter('whole', memoryAdapter, runner, { without: ['orgs'] });
    await expect(
      bodies[names.indexOf('the adapter does not have orgs, as declared in "without"')]!(),
    ).rejects.toThrow();
  });
});
