// A statement that fails loses no record of a refused attempt that the database could have stored.
import { FailureRecorder } from '../../src/core/audit/failures.js';
import { internals } from '../../src/core/internals.js';
import { AuditRecords } from '../../src/core/support/audit-records.js';
import { createKeyring } from '../../src/crypto/keys.js';
import type { AuditRepository } from '../../src/storage/audit-repository.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures } from '../support/make-pro-service.js';

describeAdapters('statements of refused attempts that fail', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const secret = 'a secret of the tests, 32 bytes or more, no other';
  const broken = () => Promise.reject(new Error('The connection was lost.'));
  const bad = 'bad';

  /** Adds ten attempts at one account, one of them `bad`. Resolves when what can be stored is stored. */
  async function storedWith(insertRefused: (audit: AuditRepository) => AuditRepository['insertRefused']) {
    const test = await makePro({ audit: true });
    const { id: userId } = await verifiedUser(test);
    const audit = adapter().audit!;
    const repository: AuditRepository = { ...audit, insertRefused: insertRefused(audit) };
    const { logger } = test.service[internals];
    const records = new AuditRecords(createKeyring(secret));
    const recorder = new FailureRecorder(repository, records, () => test.clock.now(), logger);
    for (let count = 0; count < 10; count += 1) {
      const reason = count === 4 ? bad : `reason ${count}`;
      const facts = { action: 'sign_in.failed', reason, userId, actors: [] };
      recorder.add({ facts, now: test.clock.now(), request: { actors: [], ip: '203.0.113.1' } });
    }
    await recorder.drain();
    const stored = await audit.list({ userId, action: 'sign_in.failed' }, { limit: 100 });
    const lost = test.log
      .filter(({ fields }) => fields['event'] === 'audit_records_lost')
      .map(({ fields }) => fields['count'] as number);
    return { reasons: stored.map(({ errorCode }) => errorCode), lost };
  }

  it('are tried again, and lose nothing if the connection was replaced', async () => {
    let statements = 0;
    const { reasons, lost } = await storedWith(
      (audit) => (records) => ((statements += 1) === 1 ? broken() : audit.insertRefused(records)),
    );
    expect(reasons).toHaveLength(10);
    expect(lost).toEqual([]);
  });

  it('lose the one record that the database refuses, and log it', async () => {
    const { reasons, lost } = await storedWith(
      (audit) => (records) =>
        records.some(({ errorCode }) => errorCode === bad) ? broken() : audit.insertRefused(records),
    );
    expect(reasons).toHaveLength(9);
    expect(reasons).not.toContain(bad);
    expect(lost).toEqual([1]);
  });

  it('lose nothing if only the answer to the commit was lost', async () => {
    const committed = new Set<string>();
    const { reasons, lost } = await storedWith((audit) => async (records) => {
      // As the primary key of a database.
      if (records.some(({ id }) => committed.has(id))) return broken();
      await audit.insertRefused(records);
      for (const { id } of records) committed.add(id);
      return broken();
    });
    expect(reasons).toHaveLength(10);
    expect(lost).toEqual([]);
  });

  it('log every record as lost without a database, after a few statements', async () => {
    let statements = 0;
    const { reasons, lost } = await storedWith(() => () => {
      statements += 1;
      return broken();
    });
    expect(reasons).toEqual([]);
    expect(lost.reduce((sum, count) => sum + count, 0)).toBe(10);
    // Of two batches: the first record, and those that came while it was being stored.
    expect(statements).toBe(2 + 1 + 2 + 3);
  });
});
