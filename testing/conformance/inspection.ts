import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  after,
  insertedUser,
  now,
  startedSession,
  storedCode,
  storedToken,
  testsRequiring,
  type RegisterConformanceTest,
} from './suite.js';

const year = 365 * 24 * 60 * 60 * 1000;
/** Long before the rows of other tests. */
const before = new Date(now.getTime() - 10 * year);
const expiresAt = new Date(before.getTime() - 1);

export function describeInspection(register: RegisterConformanceTest): void {
  const test = testsRequiring(register, 'inspection');

  test('inspection finds no migration and no index missing after init', async ({ inspection }) => {
    assert.deepEqual(await inspection.migrations(), { missing: [], unknown: [] });
    assert.deepEqual(await inspection.missingIndexes(), []);
  });

  test('a schema has nothing to change after init, if the adapter has one', async ({ schema }) => {
    const status = await schema?.status();
    const differences = [status?.missing, status?.missingIndexes, status?.unknown].flat().filter(Boolean);
    assert.deepEqual(differences, []);
    assert.deepEqual((await schema?.plan())?.statements ?? [], []);
    const steps: string[] = [];
    await schema?.apply({ warn: () => undefined, report: (step) => void steps.push(step) });
    assert.deepEqual(steps, []);
  });

  test('init without migrations leaves the schema as it is', async (storage) => {
    await storage.init({ migrate: false });
    assert.deepEqual(await storage.inspection.migrations(), { missing: [], unknown: [] });
  });

  test('inspection.unpurged names the tables with rows that expired before a time', async (storage) => {
    const { inspection } = storage;
    await storage.purgeExpired({ now: before });
    assert.deepEqual(await inspection.unpurged(before), []);
    const user = await insertedUser(storage);
    await startedSession(storage, user.id, { expiresAt });
    await storedToken(storage, { expiresAt });
    await storedCode(storage, { expiresAt });
    await storage.rateLimits.hit([{ key: randomUUID(), windowMs: 1 }], expiresAt.getTime() - 1);
    assert.deepEqual((await inspection.unpurged(before)).sort(), [
      'svc_one_time_codes',
      'svc_rate_limits',
      'svc_sessions',
      'svc_single_use_tokens',
    ]);
    await storage.purgeExpired({ now: after(-9 * year) });
    assert.deepEqual(await inspection.unpurged(before), []);
  });

  test('inspection.unpurged names sessions that were revoked before a time', async (storage) => {
    const { inspection } = storage;
    const user = await insertedUser(storage);
    const { id } = await startedSession(storage, user.id);
    await storage.sessions.revoke(id, before);
    assert.deepEqual(await inspection.unpurged(before), ['svc_sessions']);
    assert.deepEqual(await inspection.unpurged(expiresAt), []);
    await storage.purgeExpired({ now: before });
  });
}
