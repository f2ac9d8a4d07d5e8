// A flood of refused requests leaves a bounded number of records whose counts add up, and takes nothing from attempts to sign in.
import { randomUUID } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import { FailureCounts, windowMs } from '../../src/core/audit/failure-counts.js';
import { FailureRecorder } from '../../src/core/audit/failures.js';
import { AuditRecords } from '../../src/core/support/audit-records.js';
import { createKeyring } from '../../src/crypto/keys.js';
import type { StoredAuditRecord } from '../../src/domain/audit.js';

const now = 1_000;
const ipOf = (count: number) => `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;

interface Refused {
  action?: string;
  reason?: string;
  userId?: string;
  clientId?: string;
  route?: string;
  ip?: string;
}

const failure = ({ action = 'request.refused', reason = 'role_missing', route, ip, ...about }: Refused) => ({
  facts: {
    ...{ action, reason, actors: [{ type: 'anonymous' as const }], ...about },
    details: route === undefined ? {} : { route },
  },
  now,
  request: { actors: [], ip },
});

function budget() {
  const counts = new FailureCounts();
  counts.take(now);
  const admit = (refused: Refused) => counts.admit(failure(refused));
  const counted = () => counts.take(now + windowMs).map(({ facts }) => facts);
  return { admit, counted };
}

describe('the counts of refused requests', () => {
  it('are bounded for any number of accounts, clients, routes and reasons of the table, and add up', () => {
    const { admit, counted } = budget();
    let stored = 0;
    const total = 30_000;
    for (let count = 0; count < total; count += 1)
      stored += Number(
        admit({
          reason: ['role_missing', 'session_revoked', 'signature_invalid'][count % 3]!,
          ...(count % 3 < 2 && { userId: randomUUID() }),
          route: `GET /${count % 50}`,
          ip: ipOf(count),
        }),
      );
    const counts = counted().map(({ details }) => (details as { count: number }).count);
    expect(stored).toBeLessThanOrEqual(2_000 + 600 + 600);
    expect(counts.length).toBeLessThanOrEqual(2_000 + 100);
    expect(counts.reduce((sum, count) => sum + count, stored)).toBe(total);
  });

  it('name the route, the account and the client of OAuth only if all of their requests have them', () => {
    const { admit, counted } = budget();
    const userId = randomUUID();
    const same = { ip: ipOf(1), reason: 'scope_missing', userId, clientId: 'app', route: 'GET /a' };
    for (let count = 0; count < 12; count += 1) admit(same);
    expect(counted()).toMatchObject([{ userId, clientId: 'app', details: { route: 'GET /a', count: 2 } }]);
    const others = budget();
    for (let count = 0; count < 12; count += 1)
      others.admit({ ...same, clientId: `app ${count}`, route: `GET /${count}` });
    const [together, ...rest] = others.counted();
    expect(rest).toEqual([]);
    expect(together).toMatchObject({ userId, clientId: undefined });
    expect(together!.details).toEqual({ count: 2 });
  });

  it('give ordinary traffic no records, and one count for each reason', () => {
    const { admit, counted } = budget();
    for (let count = 0; count < 5_000; count += 1)
      expect(admit({ reason: 'cookie_missing', ip: ipOf(count), route: 'GET /a' })).toBe(false);
    expect(admit({ reason: 'token_expired', ip: ipOf(1) })).toBe(false);
    const facts = counted();
    expect(facts.map(({ reason, details }) => [reason, details])).toEqual([
      ['cookie_missing', { route: 'GET /a', count: 5_000 }],
      ['token_expired', { count: 1 }],
    ]);
  });
});

describe('a flood of refused requests', () => {
  function recorder(insertRefused?: (records: readonly StoredAuditRecord[]) => Promise<void>) {
    const adapter = memoryAdapter();
    const repository = { ...adapter.audit!, ...(insertRefused && { insertRefused }) };
    const records = new AuditRecords(createKeyring('a secret of the tests, 32 bytes or more, no other'));
    const lost: unknown[] = [];
    const ignore = () => undefined;
    const error = (fields: object) => void lost.push(fields);
    const time = { now };
    const logger = { debug: ignore, info: ignore, warn: ignore, error };
    const failures = new FailureRecorder(repository, records, () => time.now, logger);
    const signInsOf = async () => adapter.audit!.list({ action: 'sign_in.failed' }, { limit: 1_000 });
    return { failures, lost, signInsOf, time };
  }
  const signIn = (ip: string) => failure({ action: 'sign_in.failed', reason: 'invalid_credentials', ip });

  it('leaves attempts to sign in of the same client their records', async () => {
    const { failures, signInsOf } = recorder();
    for (let count = 0; count < 5_000; count += 1)
      failures.add(failure({ reason: 'signature_invalid', ip: ipOf(count % 100) }));
    for (let count = 0; count < 10; count += 1) failures.add(signIn(ipOf(1)));
    await failures.drain();
    const stored = await signInsOf();
    expect(stored.map(({ details }) => details)).toEqual(Array(10).fill('{}'));
  });

  it('leaves them room while the database cannot be reached', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const stored: StoredAuditRecord[] = [];
    const { failures, lost, time } = recorder(async (records) => {
      await released;
      stored.push(...records);
    });
    // A window for each 600 records.
    const minutes = 12;
    for (let minute = 0; minute < minutes; minute += 1) {
      time.now += windowMs;
      for (let count = 0; count < 600; count += 1)
        failures.add(failure({ reason: 'signature_invalid', ip: ipOf(count) }));
    }
    for (let count = 0; count < 100; count += 1) failures.add(signIn(ipOf(count)));
    release();
    await failures.drain();
    expect(lost.length).toBeGreaterThan(0);
    expect(stored.filter(({ action }) => action === 'sign_in.failed')).toHaveLength(100);
  });

  it('lets the service close, and is not logged as lost afterwards', async () => {
    let stored = 0;
    let isClosed = false;
    const { failures, lost } = recorder(async (records) => {
      stored += records.length;
      // A visitor comes while each of the records is stored.
      if (!isClosed) failures.add(visit);
      await new Promise(setImmediate);
    });
    const visit = failure({ reason: 'cookie_missing', ip: ipOf(1) });
    failures.add(visit);
    await failures.drain();
    isClosed = true;
    expect(stored).toBe(2);
    for (let count = 0; count < 5; count += 1) failures.add(visit);
    expect(lost).toEqual([]);
  });
});
