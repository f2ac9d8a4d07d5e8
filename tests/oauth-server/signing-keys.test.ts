// The keys that sign change by themselves: every process signs with the same one, and clients know a key before it signs.
import { internals } from '../../src/core/internals.js';
import { signingKeys } from '../../src/oauth-server/signing-keys.js';
import { describeAdapters } from '../support/describe-adapters.js';

const day = 24 * 60 * 60_000;
const periodMs = 90 * day;
/** When the first period of the test ends. */
const end = 240 * periodMs;

describeAdapters('The keys that sign', ({ make }) => {
  /** Returns the ids of the published keys at a time, the one that signs first, as four processes see them that start at once. */
  async function keysOf(now: number, { service, adapter }: Awaited<ReturnType<typeof make>>) {
    const ask = () => signingKeys(adapter.oauthServer!, service[internals].keys, now);
    const all = await Promise.all([ask(), ask(), ask(), ask()]);
    const [ids, ...others] = all.map((keys) => keys.map(({ kid }) => kid));
    for (const other of others) expect(other).toEqual(ids);
    for (const keys of all) expect(keys.every(({ alg }) => alg === 'ES256')).toBe(true);
    return ids!;
  }

  it('are the same in all processes, and overlap before and after each change', async () => {
    const test = await make();
    await test.adapter.oauthServer!.removeKeys(new Date(end + 100 * periodMs));
    const [first, ...none] = await keysOf(end - 45 * day, test);
    expect(none).toEqual([]);
    expect(await keysOf(end - day - 1, test)).toEqual([first]);
    // The next one is published for a day before it signs.
    const [still, second, ...more] = await keysOf(end - day, test);
    expect([still, more]).toEqual([first, []]);
    expect(second).not.toBe(first);
    expect(await keysOf(end - 1, test)).toEqual([first, second]);
    // What the one before it has signed can be verified for ninety days.
    expect(await keysOf(end, test)).toEqual([second, first]);
    expect(await keysOf(end + periodMs - day - 1, test)).toEqual([second, first]);
    expect(await keysOf(end + periodMs - 1, test)).toContain(first);
    const late = await keysOf(end + 2 * periodMs, test);
    expect(late).toContain(second);
    expect(late).not.toContain(first);
  });

  it('are stored encrypted', async () => {
    const test = await make();
    await keysOf(end, test);
    const stored = await test.adapter.oauthServer!.listKeys();
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toMatch(/"d\\?"|P-256/);
  });
});
