// Records of refused attempts while the storage is slow: readers do not wait for a queue, and nothing outlives a deletion.
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import { internals } from '../../src/core/internals.js';
import { FailureRecorder } from '../../src/core/audit/failures.js';
import { AuditRecords } from '../../src/core/support/audit-records.js';
import { createKeyring } from '../../src/crypto/keys.js';
import type { AuditRepository } from '../../src/storage/audit-repository.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const password = 'correct horse battery';

describeAdapters('the queue of refused attempts', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const secret = 'a secret of the tests, 32 bytes or more, no other';
  let ips = 0;

  function recorderWith(test: ProService, insertRefused: AuditRepository['insertRefused']) {
    const repository: AuditRepository = { ...adapter().audit!, insertRefused };
    const { logger } = test.service[internals];
    const records = new AuditRecords(createKeyring(secret));
    const recorder = new FailureRecorder(repository, records, () => test.clock.now(), logger);
    const add = (userId: string | null = null, ip = `203.0.113.${(ips += 1) % 250}`) => {
      const facts = { action: 'sign_in.failed', reason: 'test', userId, actors: [] };
      recorder.add({ facts, now: test.clock.now(), request: { actors: [], ip } });
    };
    return { add, recorder };
  }

  /** A recorder whose statements wait until they are released. */
  function slowRecorder(test: ProService) {
    const waiting: (() => void)[] = [];
    const recorder = recorderWith(test, async (records) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      await adapter().audit!.insertRefused(records);
    });
    return { ...recorder, waiting };
  }

  it('lets a reader wait for one statement, however many attempts follow', async () => {
    const test = await makePro({ audit: true });
    const { add, recorder, waiting } = slowRecorder(test);
    add();
    add();
    const read = recorder.flush();
    // Later than the reader.
    for (let count = 0; count < 20; count += 1) add();
    expect(waiting).toHaveLength(2);
    for (const release of waiting.splice(0)) release();
    await read;
    while (waiting.length > 0) waiting.shift()!();
    const drained = recorder.drain();
    const timer = setInterval(() => waiting.splice(0).forEach((release) => release()), 1);
    await drained;
    clearInterval(timer);
  });

  it('stores a record that comes as storing ends', async () => {
    const test = await makePro({ audit: true });
    const audit = adapter().audit!;
    const { id: userId } = await verifiedUser(test);
    const runs = 20;
    for (let steps = 0; steps < runs; steps += 1) {
      let second: Promise<void> | undefined;
      const { add, recorder } = recorderWith(test, async (records) => {
        await audit.insertRefused(records);
        second ??= addAfter(steps);
      });
      // In one of the runs, between the step that finds nothing waiting and the end of storing.
      const addAfter = async (count: number) => {
        for (let step = 0; step < count; step += 1) await Promise.resolve();
        add(userId);
      };
      add(userId);
      await recorder.drain();
      await second;
      await recorder.drain();
    }
    const records = await audit.list({ userId, action: 'sign_in.failed' }, { limit: 100 });
    expect(records).toHaveLength(2 * runs);
  });

  it('stores what is counted while it drains, and logs what is counted later as lost', async () => {
    const test = await makePro({ audit: true });
    const { id } = await verifiedUser(test);
    const flood = (count: number) => {
      for (let one = 0; one < count; one += 1) add(id, '203.0.113.251');
    };
    let statements = 0;
    const { add, recorder } = recorderWith(test, async (records) => {
      // The last of them while nothing but what was counted is being stored.
      if ((statements += 1) <= 3) flood(5);
      await adapter().audit!.insertRefused(records);
    });
    flood(20);
    await recorder.drain();
    const stored = async () => {
      const records = await adapter().audit!.list({ userId: id, action: 'sign_in.failed' }, { limit: 100 });
      const counts = records.map(({ details }) => (JSON.parse(details) as { count?: number }).count ?? 1);
      return counts.reduce((sum, count) => sum + count, 0);
    };
    expect(await stored()).toBe(20 + 3 * 5);
    flood(2);
    const lost = test.log.filter(({ fields }) => fields['event'] === 'audit_records_lost');
    expect(lost.map(({ fields }) => fields['count'])).toEqual([1, 1]);
    await recorder.drain();
    expect(await stored()).toBe(20 + 3 * 5);
  });

  it('removes the origin of what waits, and of what is being stored, when the user is deleted', async () => {
    const test = await makePro({ audit: true });
    const { id } = await verifiedUser(test);
    const { add, recorder, waiting } = slowRecorder(test);
    for (let count = 0; count < 3; count += 1) add(id);
    const anonymized = recorder.anonymize([id]);
    const timer = setInterval(() => waiting.splice(0).forEach((release) => release()), 1);
    await anonymized;
    await recorder.drain();
    clearInterval(timer);
    const stored = await adapter().audit!.list({ userId: id, action: 'sign_in.failed' }, { limit: 10 });
    expect(stored.map(({ personal }) => personal)).toEqual([null, null, null]);
  });

  it('reports a committed deletion as done if its records cannot be anonymized afterwards', async () => {
    const audit = adapter().audit!;
    let isDeleted = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const failing: AuditRepository = {
      ...audit,
      insertRefused: (records) => released.then(() => audit.insertRefused(records)),
      anonymize: (ids) =>
        isDeleted ? Promise.reject(new Error('The connection was lost.')) : audit.anonymize(ids),
    };
    const { service, log } = await makePro({ audit: true, adapter: { ...adapter(), audit: failing } });
    const email = uniqueEmail();
    const { user } = await service.emailPassword.signup({ email, password });
    await errorOf(() => service.emailPassword.login({ email, password: 'wrong password' }));
    // After the commit, and after the deletion has begun to wait for what is being stored.
    service.on('user.deleted', () => {
      isDeleted = true;
      setImmediate(release);
    });
    expect(await outcomeOf(() => service.account.deleteUser(user.id))).toBe('ok');
    expect(log.map(({ fields }) => fields['event'])).toContain('audit_anonymization_failed');
  });

  it('takes the account itself as the actor of a sign-in behind the session of another', async () => {
    const { service } = await makePro({ audit: true });
    const email = uniqueEmail();
    const { user } = await service.emailPassword.signup({ email, password });
    const { user: other } = await service.emailPassword.signup({ email: uniqueEmail(), password });
    const ip = '192.0.2.90';
    const context = { ip, userAgent: 'Phone', startSession: true };
    const behind = (work: () => Promise<unknown>) =>
      service[internals].actingRequests.run(
        () => ({ actors: [{ type: 'user', id: other.id }], ip, userAgent: 'Phone' }),
        work,
      );
    expect(
      await outcomeOf(() => behind(() => service.emailPassword.login({ email, password }, context))),
    ).toBe('ok');
    await behind(() =>
      errorOf(() => service.emailPassword.login({ email, password: 'wrong password' }, context)),
    );
    const { activity } = await service.audit.listActivity(user.id);
    const created = activity.find(({ action, ip: from }) => action === 'session.created' && from !== null);
    expect(created).toMatchObject({ by: 'user', ip, userAgent: 'Phone' });
    expect(activity.find(({ action }) => action === 'sign_in.failed')).not.toMatchObject({
      by: 'administrator',
    });
  });
});
