import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServiceOneTimeCode } from '../../src/domain/one-time-code.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { CodeAttempt, CodeOutcome } from '../../src/storage/one-time-code-repository.js';
import { after, guessedStatus, inParallel, now, type RegisterConformanceTest, storedCode } from './suite.js';

type Code = Pick<ServiceOneTimeCode, 'purpose' | 'subject' | 'codeHash'>;

export function describeOneTimeCodes(test: RegisterConformanceTest): void {
  test('attempt counts a wrong guess and returns the code', async (storage) => {
    const code = await storedCode(storage);
    for (const attempts of [1, 2]) {
      const outcome = await guess(storage, code, { codeHashes: ['another', 'hash'] });
      assert.deepEqual(outcome, { status: 'wrong', code: { ...code, attempts, consumedAt: null } });
    }
  });

  test('attempt consumes the code if one of the hashes is right, and returns missing from then on', async (storage) => {
    const code = await storedCode(storage);
    await guess(storage, code, { codeHashes: [] });
    const outcome = await guess(storage, code, { codeHashes: ['another', code.codeHash] });
    const consumed = { ...code, attempts: 2, consumedAt: now };
    assert.deepEqual(outcome, { status: 'consumed', code: consumed });
    assert.deepEqual(await guess(storage, code), { status: 'missing' });
  });

  test('renew gives a code another hash and expiry and no attempts, and keeps its metadata', async (storage) => {
    const code = await storedCode(storage, { metadata: { kept: true } });
    await guess(storage, code, { codeHashes: [] });
    const { purpose, subject } = code;
    const renewed = { purpose, subject, codeHash: 'renewed', expiresAt: after(60_000) };
    assert.equal(await storage.oneTimeCodes.renew(renewed), true);
    assert.equal(await guessedStatus(storage, code), 'wrong');
    const outcome = await guess(storage, { ...code, codeHash: 'renewed' });
    const consumed = { ...code, ...renewed, attempts: 2, consumedAt: now };
    assert.deepEqual(outcome, { status: 'consumed', code: consumed });
  });

  test('renew revives a code that has expired, and stores nothing for one that was consumed or does not exist', async (storage) => {
    const code = await storedCode(storage, { expiresAt: after(-1) });
    const { purpose, subject } = code;
    const renewed = { purpose, subject, codeHash: 'renewed', expiresAt: after(60_000) };
    assert.equal(await storage.oneTimeCodes.renew(renewed), true);
    assert.equal((await guess(storage, { ...code, codeHash: 'renewed' })).status, 'consumed');
    assert.equal(await storage.oneTimeCodes.renew(renewed), false);
    const unknown = { ...renewed, subject: `another ${subject}` };
    assert.equal(await storage.oneTimeCodes.renew(unknown), false);
    assert.equal((await guess(storage, { ...unknown })).status, 'missing');
  });

  test('a code of a sign-up is stored, although its subject is not the id of a user', async (storage) => {
    const subject = randomUUID();
    const code = await storedCode(storage, { purpose: 'sign_up', subject, metadata: { epoch: null } });
    const outcome = await guess(storage, code);
    const consumed = { ...code, attempts: 1, consumedAt: now };
    assert.deepEqual(outcome, { status: 'consumed', code: consumed });
  });

  test('attempt returns exhausted after maxAttempts guesses, also for the right code', async (storage) => {
    const code = await storedCode(storage);
    const statusOf = async (changes: Partial<CodeAttempt>) => (await guess(storage, code, changes)).status;
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push(await statusOf({ codeHashes: [], maxAttempts: 2 }));
    assert.deepEqual(statuses, ['wrong', 'wrong', 'exhausted']);
    assert.equal(await statusOf({ maxAttempts: 2 }), 'exhausted');
    assert.equal(await statusOf({ maxAttempts: 3 }), 'consumed');
  });

  test('exactly maxAttempts of 50 parallel wrong guesses are compared, each with its own number', async (storage) => {
    await inParallel(20, async () => {
      const code = await storedCode(storage);
      const outcomes = await inParallel(50, () => guess(storage, code, { codeHashes: [] }));
      const numbers = outcomes.flatMap((outcome) =>
        outcome.status === 'wrong' ? [outcome.code.attempts] : [],
      );
      assert.deepEqual(numbers.sort(), [1, 2, 3, 4, 5]);
      assert.equal(outcomes.filter(({ status }) => status === 'exhausted').length, 45);
    });
  });

  test('only one of 50 parallel right guesses consumes the code', async (storage) => {
    await inParallel(10, async () => {
      const code = await storedCode(storage);
      const outcomes = await inParallel(50, () => guess(storage, code));
      const statuses = outcomes.map(({ status }) => status).sort();
      assert.deepEqual(statuses, ['consumed', ...Array.from({ length: 49 }, () => 'missing')]);
    });
  });

  test('of parallel right and wrong guesses, at most maxAttempts are compared and one consumes', async (storage) => {
    await inParallel(10, async () => {
      const code = await storedCode(storage);
      const outcomes = await inParallel(20, (index) =>
        guess(storage, code, { codeHashes: index % 4 === 0 ? [code.codeHash] : [] }),
      );
      const count = (wanted: CodeOutcome['status']) =>
        outcomes.filter(({ status }) => status === wanted).length;
      assert.ok(count('consumed') <= 1 && count('wrong') + count('consumed') <= 5);
      assert.equal(count('consumed') === 1 || count('wrong') === 5, true);
    });
  });

  test('attempt returns expired from expiresAt on, and not a millisecond earlier', async (storage) => {
    const code = await storedCode(storage);
    const { expiresAt } = code;
    assert.equal(await guessedStatus(storage, code, new Date(expiresAt.getTime() - 1)), 'wrong');
    assert.deepEqual(await guess(storage, code, { now: expiresAt }), { status: 'expired' });
  });

  test('attempt returns missing before expired, and expired before exhausted', async (storage) => {
    const code = await storedCode(storage);
    const statusAt = async (time: Date) => (await guess(storage, code, { maxAttempts: 0, now: time })).status;
    assert.equal(await statusAt(now), 'exhausted');
    assert.equal(await statusAt(after(60_000)), 'expired');
    await guess(storage, code);
    assert.equal(await statusAt(after(60_000)), 'missing');
  });

  test('replace does not store a code for a user who does not exist', async (storage) => {
    for (const purpose of ['email_verification', 'email_change', 'guest_upgrade'] as const) {
      const code = await storedCode(storage, { purpose, subject: randomUUID() });
      assert.deepEqual(await guess(storage, code), { status: 'missing' });
    }
  });

  test('attempt returns missing for another purpose or subject', async (storage) => {
    const code = await storedCode(storage);
    for (const other of [{ purpose: 'phone_code' as const }, { subject: `x${code.subject}` }])
      assert.deepEqual(await guess(storage, code, other), { status: 'missing' });
  });

  test('replace stores the new code with no attempts and removes the old one', async (storage) => {
    const old = await storedCode(storage);
    await guess(storage, old);
    const fresh = await storedCode(storage, { subject: old.subject, metadata: { from: 'fresh' } });
    const outcome = await guess(storage, old);
    assert.deepEqual(outcome, { status: 'wrong', code: { ...fresh, attempts: 1, consumedAt: null } });
  });

  test('guesses at long codes and at codes of digits do not use up each other', async (storage) => {
    const short = await storedCode(storage);
    const long = await storedCode(storage, { codeHash: `~${randomUUID()}` });
    for (const isLong of [true, false]) {
      const [code, other] = isLong ? [long, short] : [short, long];
      for (let i = 0; i < 10; i += 1)
        assert.equal((await guess(storage, other, { isLong, codeHashes: [] })).status, 'missing');
      assert.equal((await guess(storage, other, { isLong })).status, 'missing');
      const outcome = await guess(storage, code, { isLong, codeHashes: [] });
      assert.equal(outcome.status === 'wrong' && outcome.code.attempts, 1);
    }
    assert.equal((await guess(storage, long, { isLong: true })).status, 'consumed');
    assert.equal((await guess(storage, short)).status, 'consumed');
  });

  test('discard removes the code only if it still has this hash', async (storage) => {
    const code = await storedCode(storage);
    await storage.oneTimeCodes.discard(code.purpose, code.subject, 'another');
    assert.equal(await guessedStatus(storage, code), 'wrong');
    await storage.oneTimeCodes.discard(code.purpose, code.subject, code.codeHash);
    assert.equal(await guessedStatus(storage, code), 'missing');
  });
}

/** Makes the right guess, with changes. */
function guess(
  storage: StorageAdapter,
  { purpose, subject, codeHash }: Code,
  changes: Partial<CodeAttempt> = {},
): Promise<CodeOutcome> {
  const attempt = { purpose, subject, codeHashes: [codeHash], maxAttempts: 5, now };
  return storage.oneTimeCodes.attempt({ ...attempt, ...changes });
}
