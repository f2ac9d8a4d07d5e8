/** What sign-ins do together: by `fastPaths` of the adapter or, without it, by its elementary methods. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServiceOneTimeCode } from '../../src/domain/one-time-code.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { CorrectedOutcome, CorrectingAttempt } from '../../src/storage/fast-paths.js';
import {
  after,
  fastPathsOf,
  inParallel,
  insertedUser,
  newSession,
  now,
  type RegisterConformanceTest,
  storedCode,
} from './suite.js';

const windowMs = 60_000;
const time = now.getTime();
const key = () => `limit:${randomUUID()}`;

export function describeFastPaths(test: RegisterConformanceTest): void {
  test('hitAndFindUser counts like hit and returns the user of the address', async (storage) => {
    const { rateLimits } = storage;
    const user = await insertedUser(storage);
    const email = user.email ?? '';
    const hit = { key: key(), windowMs, max: 3 };
    const counted = (count: number) => [{ count, resetAt: time + windowMs }];
    assert.deepEqual(await fastPathsOf(storage).hitAndFindUser([hit], email, time), {
      results: counted(1),
      user,
    });
    const stranger = await fastPathsOf(storage).hitAndFindUser([hit], `x${email}`, time);
    assert.deepEqual(stranger, { results: counted(2), user: null });
    assert.deepEqual(await rateLimits.hit([hit], time), counted(3));
    assert.deepEqual(await fastPathsOf(storage).hitAndFindUser([], email, time), { results: [], user });
  });

  test('hitAndFindUser raises no counter and returns no user if a counter refuses', async (storage) => {
    const { rateLimits } = storage;
    const { email } = await insertedUser(storage);
    const [narrow, wide] = [
      { key: key(), windowMs, max: 1 },
      { key: key(), windowMs, max: 5 },
    ];
    await rateLimits.hit([narrow, wide], time);
    const { results, user } = await fastPathsOf(storage).hitAndFindUser([narrow, wide], email ?? '', time);
    assert.deepEqual([results[0]?.retryAt, results[1]?.retryAt, user], [time + windowMs, undefined, null]);
    assert.equal((await rateLimits.hit([wide], time))[0]?.count, 2);
  });

  test('correctAndStart corrects the counters and starts the session', async (storage) => {
    const { rateLimits, sessions } = storage;
    const user = await insertedUser(storage);
    const [refunded, reset] = [
      { key: key(), windowMs },
      { key: key(), windowMs },
    ];
    for (let i = 0; i < 3; i += 1) await rateLimits.hit([refunded, reset], time);
    const correction = { refund: [refunded.key, reset.key], reset: [reset.key] };
    const session = newSession(user.id);
    assert.equal(await fastPathsOf(storage).correctAndStart(correction, { session, epoch: 0 }, time), true);
    assert.deepEqual(await sessions.findWithUser(session.id), { session, user });
    const counts = await rateLimits.hit([refunded, reset], time);
    assert.deepEqual(
      counts.map(({ count }) => count),
      [3, 1],
    );
  });

  test('correctAndStart corrects the counters also if the session does not start', async (storage) => {
    const { rateLimits, sessions } = storage;
    const user = await insertedUser(storage);
    const hit = { key: key(), windowMs };
    await rateLimits.hit([hit], time);
    const correction = { refund: [hit.key], reset: [] };
    const session = newSession(user.id);
    assert.equal(await fastPathsOf(storage).correctAndStart(correction, { session, epoch: 1 }, time), false);
    assert.equal(await sessions.findWithUser(session.id), null);
    assert.equal((await rateLimits.hit([hit], time))[0]?.count, 1);
  });

  test('parallel calls of correctAndStart correct one counter and start a session each', async (storage) => {
    const { rateLimits, sessions } = storage;
    const { id } = await insertedUser(storage);
    const hit = { key: key(), windowMs };
    for (let i = 0; i < 20; i += 1) await rateLimits.hit([hit], time);
    const correction = { refund: [hit.key], reset: [] };
    const outcomes = await inParallel(20, () =>
      fastPathsOf(storage).correctAndStart(correction, { session: newSession(id), epoch: 0 }, time),
    );
    assert.deepEqual(outcomes, Array(20).fill(true));
    assert.equal((await sessions.listLive(id, now)).length, 20);
    assert.equal((await rateLimits.hit([hit], time))[0]?.count, 1);
  });

  test('exactly max of 50 parallel hits with a user are allowed', async (storage) => {
    const { id, email } = await insertedUser(storage);
    const hits = [{ key: key(), windowMs, max: 10 }];
    const outcomes = await inParallel(50, () => fastPathsOf(storage).hitAndFindUser(hits, email ?? '', time));
    const allowed = outcomes.filter(({ results }) => results[0]?.retryAt === undefined);
    assert.equal(allowed.length, 10);
    for (const { user } of outcomes.filter((each) => !allowed.includes(each))) assert.equal(user, null);
    for (const { user } of allowed) assert.equal(user?.id, id);
  });

  test('attemptAndCorrect returns the user of an address, only with a consumed code', async (storage) => {
    const user = await insertedUser(storage, { metadata: { plan: 'of the user' } });
    const email = user.email ?? '';
    const code = await storedCode(storage, { subject: email });
    const wrong = await guess(storage, code, { codeHashes: [], email });
    assert.deepEqual(wrong, { status: 'wrong', code: { ...code, attempts: 1, consumedAt: null } });
    const right = await guess(storage, code, { email });
    assert.deepEqual(right, {
      status: 'consumed',
      code: { ...code, attempts: 2, consumedAt: now },
      user,
    });
    assert.deepEqual(await guess(storage, code, { email }), { status: 'missing' });
    for (const unknown of [`${randomUUID()}@example.test`, 'a\0b', '']) {
      const outcome = await guess(storage, await storedCode(storage), { email: unknown });
      assert.equal(outcome.status === 'consumed' && outcome.user, null);
    }
  });

  test('attemptAndCorrect returns the user as every write that resolved before it left the user', async (storage) => {
    await inParallel(20, async () => {
      const { id, email } = await insertedUser(storage);
      const code = await storedCode(storage);
      await storage.sessions.revokeAll(id, after(5));
      const outcome = await guess(storage, code, { email: email ?? '' });
      assert.equal(outcome.status === 'consumed' && outcome.user?.epoch, 1);
    });
  });

  test('attemptAndCorrect corrects counters if it consumes the code, and otherwise does not', async (storage) => {
    const code = await storedCode(storage);
    const [refunded, reset] = [randomUUID(), randomUUID()];
    const hits = [refunded, reset].map((key) => ({ key, windowMs: 60_000 }));
    const counts = async () => (await storage.rateLimits.hit(hits, now.getTime())).map(({ count }) => count);
    const correction = { refund: [refunded], reset: [reset] };
    await counts();
    await guess(storage, code, { codeHashes: [], correction });
    await guess(storage, code, { now: after(60_000), correction });
    assert.deepEqual(await counts(), [2, 2]);
    assert.equal((await guess(storage, code, { correction })).status, 'consumed');
    assert.deepEqual(await counts(), [2, 1]);
    await guess(storage, code, { correction });
    assert.deepEqual(await counts(), [3, 2]);
  });

  test('parallel guesses that correct the same counters do not deadlock with hits', async (storage) => {
    const keys = Array.from({ length: 6 }, () => randomUUID()).sort();
    const hits = keys.map((key) => ({ key, windowMs: 60_000 }));
    await inParallel(100, async (index) => {
      const order = index % 2 ? keys : [...keys].reverse();
      const code = await storedCode(storage);
      await storage.rateLimits.hit(hits, now.getTime());
      const correction = { refund: order.slice(2), reset: order.slice(0, 2) };
      assert.equal((await guess(storage, code, { correction })).status, 'consumed');
    });
  });
}

/** Makes the right guess, with changes. */
function guess(
  storage: StorageAdapter,
  { purpose, subject, codeHash }: Pick<ServiceOneTimeCode, 'purpose' | 'subject' | 'codeHash'>,
  changes: Partial<CorrectingAttempt> = {},
): Promise<CorrectedOutcome> {
  const attempt = { purpose, subject, codeHashes: [codeHash], maxAttempts: 5, now };
  return fastPathsOf(storage).attemptAndCorrect({ ...attempt, ...changes });
}
