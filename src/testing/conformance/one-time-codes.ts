import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, inParallel, now, type Promises, storedCode, winners } from './suite.js';

export function oneTimeCodePromises(promise: Promises): void {
  promise('an attempt is reserved before anything is compared, and counted', async (storage) => {
    const code = await storedCode(storage);
    for (const attempts of [1, 2]) {
      const answer = await storage.oneTimeCodes.reserveAttempt(code.purpose, code.subject, 5, now);
      assert.deepEqual(answer, { status: 'reserved', code: { ...code, attempts, consumedAt: null } });
    }
  });

  promise('after maxAttempts reservations the code is exhausted', async (storage) => {
    const { purpose, subject } = await storedCode(storage);
    const attempt = (maxAttempts: number) =>
      storage.oneTimeCodes.reserveAttempt(purpose, subject, maxAttempts, now);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await attempt(2)).status);
    assert.deepEqual(statuses, ['reserved', 'reserved', 'exhausted', 'exhausted']);
    const third = await attempt(3);
    assert.equal(third.status === 'reserved' && third.code.attempts, 3);
  });

  promise(
    'of 50 parallel attempts exactly maxAttempts are reserved, each with its own number',
    async (storage) => {
      await inParallel(20, async () => {
        const { purpose, subject } = await storedCode(storage);
        const attempt = () => storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, now);
        const answers = await inParallel(50, attempt);
        const numbers = answers.flatMap((answer) =>
          answer.status === 'reserved' ? [answer.code.attempts] : [],
        );
        assert.deepEqual(numbers.sort(), [1, 2, 3, 4, 5]);
        assert.equal(answers.filter(({ status }) => status === 'exhausted').length, 45);
      });
    },
  );

  promise('a code is expired from its very end on, and live a millisecond before', async (storage) => {
    const { purpose, subject, expiresAt } = await storedCode(storage);
    const at = async (time: Date) =>
      (await storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, time)).status;
    assert.equal(await at(new Date(expiresAt.getTime() - 1)), 'reserved');
    assert.equal(await at(expiresAt), 'expired');
  });

  promise('missing comes before expired, and expired before exhausted', async (storage) => {
    const { purpose, subject, codeHash } = await storedCode(storage);
    const at = async (time: Date) =>
      (await storage.oneTimeCodes.reserveAttempt(purpose, subject, 0, time)).status;
    assert.equal(await at(now), 'exhausted');
    assert.equal(await at(after(60_000)), 'expired');
    await storage.oneTimeCodes.consume(purpose, subject, codeHash, now);
    assert.equal(await at(after(60_000)), 'missing');
  });

  promise('a code for a user who is gone is not stored', async (storage) => {
    for (const purpose of ['email_verification', 'email_change', 'guest_upgrade'] as const) {
      const { subject } = await storedCode(storage, { purpose, subject: randomUUID() });
      const answer = await storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, now);
      assert.deepEqual(answer, { status: 'missing' });
    }
  });

  promise('a code of one purpose or subject is missing for any other', async (storage) => {
    const { subject } = await storedCode(storage);
    const other = await storage.oneTimeCodes.reserveAttempt('phone_code', subject, 5, now);
    assert.deepEqual(other, { status: 'missing' });
    const stranger = await storage.oneTimeCodes.reserveAttempt('email_code', `x${subject}`, 5, now);
    assert.deepEqual(stranger, { status: 'missing' });
  });

  promise('a new code takes the place of the old one, with all its attempts', async (storage) => {
    const old = await storedCode(storage);
    const { purpose, subject } = old;
    await storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, now);
    await storage.oneTimeCodes.consume(purpose, subject, old.codeHash, now);
    const fresh = await storedCode(storage, { subject, metadata: { from: 'fresh' } });
    assert.equal(await storage.oneTimeCodes.consume(purpose, subject, old.codeHash, now), false);
    const answer = await storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, now);
    assert.deepEqual(answer, { status: 'reserved', code: { ...fresh, attempts: 1, consumedAt: null } });
  });

  promise(
    'of 50 parallel consumptions of one code one wins, and the code is missing then',
    async (storage) => {
      const { purpose, subject, codeHash } = await storedCode(storage);
      const consume = () => storage.oneTimeCodes.consume(purpose, subject, codeHash, now);
      assert.equal(winners(await inParallel(50, consume)), 1);
      const answer = await storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, now);
      assert.deepEqual(answer, { status: 'missing' });
    },
  );

  promise('no attempt is reserved on a code whose consumption has resolved', async (storage) => {
    await inParallel(10, async () => {
      const { purpose, subject, codeHash } = await storedCode(storage);
      const attempt = () => storage.oneTimeCodes.reserveAttempt(purpose, subject, 99, now);
      const racing = inParallel(5, attempt);
      await storage.oneTimeCodes.consume(purpose, subject, codeHash, now);
      assert.equal((await attempt()).status, 'missing');
      for (const { status } of await racing) assert.ok(status === 'reserved' || status === 'missing');
    });
  });

  promise('discard removes the code only if it is still the one with this hash', async (storage) => {
    const { purpose, subject, codeHash } = await storedCode(storage);
    const status = async () => (await storage.oneTimeCodes.reserveAttempt(purpose, subject, 5, now)).status;
    await storage.oneTimeCodes.discard(purpose, subject, 'another');
    assert.equal(await status(), 'reserved');
    await storage.oneTimeCodes.discard(purpose, subject, codeHash);
    assert.equal(await status(), 'missing');
  });
}
