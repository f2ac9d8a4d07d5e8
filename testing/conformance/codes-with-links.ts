import assert from 'node:assert/strict';
import type { ServiceOneTimeCode } from '../../src/domain/one-time-code.js';
import type { SingleUseToken } from '../../src/domain/single-use-token.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { CorrectedOutcome, CorrectingAttempt } from '../../src/storage/fast-paths.js';
import type { CodeAttempt, CodeOutcome } from '../../src/storage/one-time-code-repository.js';
import {
  after,
  fastPathsOf,
  guessedStatus,
  inParallel,
  insertedUser,
  now,
  type RegisterConformanceTest,
  storedCode,
  storedToken,
} from './suite.js';

type Code = Omit<ServiceOneTimeCode, 'attempts' | 'consumedAt'>;

/** The code and the link of one mail: whichever is used first ends the other. */
export function describeCodesWithLinks(test: RegisterConformanceTest): void {
  test('attempt consumes a code with a link, returns its linkDigest, and ends the link', async (storage) => {
    const { code, link } = await storedPair(storage);
    const outcome = await guess(storage, code);
    const consumed = { ...code, attempts: 1, consumedAt: now };
    assert.deepEqual(outcome, { status: 'consumed', code: consumed });
    assert.equal(await use(storage, link), null);
    assert.deepEqual(await guess(storage, code), { status: 'missing' });
  });

  test('attemptAndCorrect returns the user of an address with a consumed code of a link, and no user after the link was used', async (storage) => {
    const user = await insertedUser(storage);
    const email = user.email ?? '';
    const { code } = await storedPair(storage, email);
    assert.equal((await guessAndCorrect(storage, code, { codeHashes: [], email })).status, 'wrong');
    const right = await guessAndCorrect(storage, code, { email });
    const consumed = { ...code, attempts: 2, consumedAt: now };
    assert.deepEqual(right, { status: 'consumed', code: consumed, user });
    const used = await storedPair(storage, email);
    assert.ok(await use(storage, used.link));
    assert.deepEqual(await guessAndCorrect(storage, used.code, { email }), { status: 'missing' });
  });

  test('a wrong guess at a code with a link keeps both', async (storage) => {
    const { code, link } = await storedPair(storage);
    const outcome = await guess(storage, code, { codeHashes: ['another'] });
    assert.deepEqual(outcome, { status: 'wrong', code: { ...code, attempts: 1, consumedAt: null } });
    assert.deepEqual(await use(storage, link), link);
  });

  test('a code returns missing for every guess after its link was used, and expired from expiresAt on', async (storage) => {
    const { code, link } = await storedPair(storage);
    assert.ok(await use(storage, link));
    for (const changes of [{}, { codeHashes: ['another'] }, { maxAttempts: 0 }])
      assert.deepEqual(await guess(storage, code, changes), { status: 'missing' });
    assert.deepEqual(await guess(storage, code, { now: code.expiresAt }), { status: 'expired' });
  });

  test('a code whose attempts are exhausted keeps its link', async (storage) => {
    const { code, link } = await storedPair(storage);
    assert.deepEqual(await guess(storage, code, { maxAttempts: 0 }), { status: 'exhausted' });
    assert.ok(await use(storage, link));
  });

  test('a code that replaces another keeps the earlier link, and only its own link ends with it', async (storage) => {
    const earlier = await storedPair(storage);
    const later = await storedPair(storage, earlier.code.subject);
    assert.equal((await guess(storage, earlier.code)).status, 'wrong');
    assert.equal((await guess(storage, later.code)).status, 'consumed');
    assert.equal(await use(storage, later.link), null);
    assert.deepEqual(await use(storage, earlier.link), earlier.link);
  });

  test('using an earlier link keeps the code of a later mail', async (storage) => {
    const earlier = await storedPair(storage);
    const later = await storedPair(storage, earlier.code.subject);
    assert.ok(await use(storage, earlier.link));
    assert.equal((await guess(storage, later.code)).status, 'consumed');
  });

  test('of parallel uses of a code and its link only one succeeds', async (storage) => {
    await inParallel(20, async () => {
      const { code, link } = await storedPair(storage);
      const uses = await inParallel(20, async (index) =>
        index % 2 === 0
          ? (await guess(storage, code, { maxAttempts: 99 })).status === 'consumed'
          : (await use(storage, link)) !== null,
      );
      assert.equal(uses.filter(Boolean).length, 1);
    });
  });

  test('a code that loses against its link corrects no counters', async (storage) => {
    const { code, link } = await storedPair(storage);
    const key = code.codeHash;
    const count = async () => {
      const [result] = await storage.rateLimits.hit([{ key, windowMs: 60_000 }], now.getTime());
      return result?.count;
    };
    await count();
    await use(storage, link);
    await guessAndCorrect(storage, code, { correction: { refund: [], reset: [key] } });
    assert.equal(await count(), 2);
  });

  test('a code that is used while its user is claimed never deadlocks, and is gone afterwards', async (storage) => {
    await inParallel(10, async () => {
      const user = await insertedUser(storage);
      const { code, link } = await storedPair(storage, user.email ?? '');
      await Promise.all([
        ...Array.from({ length: 4 }, () => guess(storage, code, { maxAttempts: 99 })),
        storage.users.claim(user.id, now),
        use(storage, link),
      ]);
      assert.equal(await use(storage, link), null);
      assert.equal(await guessedStatus(storage, code), 'missing');
    });
  });

  test('claim removes the code with the link', async (storage) => {
    const user = await insertedUser(storage);
    const { code, link } = await storedPair(storage, user.email ?? '');
    assert.ok(await storage.users.claim(user.id, now));
    assert.equal(await guessedStatus(storage, code, code.expiresAt), 'missing');
    assert.equal(await use(storage, link), null);
  });
}

async function storedPair(
  storage: StorageAdapter,
  subject?: string,
): Promise<{ code: Code; link: SingleUseToken }> {
  const link = await storedToken(storage, { expiresAt: after(60_000), ...(subject && { subject }) });
  const mail = { subject: link.subject, linkDigest: link.digest };
  return { link, code: await storedCode(storage, { purpose: 'magic_link', ...mail }) };
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

/** Makes the right guess by a fast path, with changes. */
function guessAndCorrect(
  storage: StorageAdapter,
  { purpose, subject, codeHash }: Code,
  changes: Partial<CorrectingAttempt> = {},
): Promise<CorrectedOutcome> {
  const attempt = { purpose, subject, codeHashes: [codeHash], maxAttempts: 5, now };
  return fastPathsOf(storage).attemptAndCorrect({ ...attempt, ...changes });
}

function use(storage: StorageAdapter, { digest }: SingleUseToken): Promise<SingleUseToken | null> {
  return storage.singleUseTokens.consume('magic_link', digest, now);
}
