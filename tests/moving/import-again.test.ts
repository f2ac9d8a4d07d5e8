// What an import that is repeated, ended or merged must not do: find another account, write after its end, or lose something silently.
import { randomUUID } from 'node:crypto';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures } from '../support/make-pro-service.js';
import { importingHasher, oldUser } from '../support/imported-users.js';

describeAdapters('an import with ids that are UUIDs', (on) => {
  const { makePro, verifiedUser } = proFixtures(on);
  const open = () => makePro({ providers: { emailPassword: { hasher: importingHasher() } } });
  const merge = { onConflict: 'merge' } as const;

  async function mergedAndMoved() {
    const test = await open();
    const user = await verifiedUser(test);
    const record = oldUser({ id: randomUUID(), externalId: null, email: user.email! });
    expect(await test.service.users.import([record], merge)).toMatchObject({ merged: 1 });
    await test.service.users.update(user.id, { email: on.uniqueEmail(), emailVerified: true });
    return { ...test, record };
  }

  it('finds a merged account again, although its address has changed since', async () => {
    const { record, service } = await mergedAndMoved();
    expect(await service.users.import([record], merge)).toMatchObject({ created: 0, unchanged: 1 });
    expect(await service.users.import([record])).toMatchObject({ created: 0, unchanged: 1 });
  });

  it('never adds the record of a merged account to the next owner of its address', async () => {
    const { record, service } = await mergedAndMoved();
    const next = await service.users.create({ email: record.email!, emailVerified: true });
    expect(await service.users.import([record], merge)).toMatchObject({ merged: 0, unchanged: 1 });
    expect(await service.users.get(next.id)).toMatchObject({ hasPassword: false, externalId: null });
  });

  it('does not add a second record to a merged account', async () => {
    const test = await open();
    const { email } = await verifiedUser(test);
    const records = [1, 2].map(() => oldUser({ id: randomUUID(), externalId: null, email: email! }));
    const report = await test.service.users.import(records, merge);
    expect(report).toMatchObject({ merged: 1, skipped: 1, faults: [{ index: 1, reason: 'email_taken' }] });
  });
});

describeAdapters('users.import', (on) => {
  const { makePro, verifiedUser } = proFixtures(on);
  const open = () => makePro({ providers: { emailPassword: { hasher: importingHasher() } } });
  const merge = { onConflict: 'merge' } as const;

  it('reports that a merge does not block the account of a blocked user', async () => {
    const test = await open();
    const { email, id } = await verifiedUser(test);
    const report = await test.service.users.import([oldUser({ email: email!, blocked: true })], merge);
    expect(report).toMatchObject({ merged: 1, faults: [{ reason: 'block_left_out', field: 'blocked' }] });
    expect((await test.service.users.get(id)).blocked).toBeNull();
  });

  it('reports that a merge leaves out metadata that would be too large', async () => {
    const test = await open();
    const { email, id } = await verifiedUser(test);
    await test.service.users.update(id, { metadata: { own: 'x'.repeat(5_000) } });
    const record = oldUser({ email: email!, metadata: { added: 'x'.repeat(5_000) } });
    const report = await test.service.users.import([record], merge);
    expect(report).toMatchObject({ merged: 1, faults: [{ reason: 'metadata_left_out', field: 'metadata' }] });
  });

  it('imports nothing with a signal that was aborted before', async () => {
    const { service } = await open();
    const people = Array.from({ length: 10 }, () => oldUser());
    const report = await service.users.import(people, { batchSize: 5, signal: AbortSignal.abort() });
    expect(report).toMatchObject({ read: 0, created: 0 });
  });

  it('refuses an integer that is too long for an external id, and imports the others', async () => {
    const { service } = await open();
    const records = [oldUser(), oldUser({ externalId: 10n ** 400n }), oldUser()];
    const report = await service.users.import(records);
    expect(report).toMatchObject({ created: 2, refused: 1, faults: [{ index: 1, reason: 'id_invalid' }] });
  });
});
