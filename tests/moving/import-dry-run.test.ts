// A dry run of `service.users.import` reports what the import would do, also with records that repeat each other.
import { randomUUID } from 'node:crypto';
import type { ImportedUser, ImportOptions, ImportReport } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import { importingConfig, oldUser } from '../support/imported-users.js';

const member = (slug: string, externalId: string = randomUUID()): ImportedUser =>
  oldUser({ memberships: [{ organization: { externalId, name: 'Acme', slug }, role: 'owner' }] });

describeAdapters('users.import with dryRun', (on) => {
  const { makePro } = proFixtures(on);

  async function compare({ service }: ProService, records: ImportedUser[], options: ImportOptions) {
    const checked = await service.users.import(records, { ...options, dryRun: true });
    const stored = await service.users.import(records, options);
    expect(checked).toEqual(stored);
    return stored;
  }
  const reasons = ({ faults }: ImportReport) => faults.map(({ index, reason }) => [index, reason]);

  it.each([1, 2, 500])(
    'reports what the import does with repeated records in batches of %i',
    async (batchSize) => {
      const test = await makePro(importingConfig());
      const [existing, one] = [oldUser(), oldUser()];
      await test.service.users.import([existing]);
      const [kept, other, a, b] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      const withoutId = (email: string): ImportedUser => ({ email, emailVerified: true });
      const records = [
        one,
        one,
        oldUser({ externalId: one.externalId!, email: existing.email! }),
        oldUser({ email: one.email! }),
        oldUser({ id: kept, externalId: null }),
        oldUser({ id: kept, externalId: null }),
        oldUser({ id: other, externalId: a }),
        oldUser({ id: other, externalId: b }),
        oldUser({ id: kept, externalId: a }),
        oldUser({ id: kept, externalId: existing.externalId! }),
        withoutId(`${randomUUID()}@example.com`),
      ];
      const report = await compare(test, [...records, records.at(-1)!], { batchSize, onConflict: 'skip' });
      expect(report).toMatchObject({ created: 4, unchanged: 3 });
    },
  );

  it.each([1, 500])('reports what the import merges within batches of %i', async (batchSize) => {
    const test = await makePro(importingConfig());
    const email = `${randomUUID()}@example.com`;
    const base: ImportedUser = { email, emailVerified: true, metadata: { plan: 'gold' } };
    const identities = [{ provider: 'google', providerAccountId: randomUUID() }];
    const records = [base, base, { ...base, identities }, { ...base, identities }, oldUser({ identities })];
    const report = await compare(test, records, { batchSize, onConflict: 'merge' });
    expect(report).toMatchObject({ created: 1, unchanged: 2, merged: 1, skipped: 1 });
  });

  it('does not let a record that is left out take the address or the name of a later one', async () => {
    const test = await makePro(importingConfig());
    const existing = oldUser();
    await test.service.users.import([existing]);
    const username = `n${randomUUID().slice(0, 8)}`;
    const records = [oldUser({ email: existing.email!, username }), oldUser({ username })];
    const report = await compare(test, records, { onConflict: 'skip' });
    expect(report.created).toBe(1);
    expect(reasons(report)).toEqual([[0, 'email_taken']]);
  });

  it('reports slug_taken for a slug of an organization, and for one of an earlier record', async () => {
    const test = await makePro(importingConfig());
    const [taken, twice] = [`s-${randomUUID()}`, `s-${randomUUID()}`];
    await test.service.users.import([member(taken)]);
    const records = [member(taken), member(twice), member(twice)];
    for (const batchSize of [1, 500]) {
      const options = { batchSize, dryRun: true };
      const checked = await test.service.users.import(records, options);
      expect(reasons(checked)).toEqual([0, 2].map((index) => [index, 'slug_taken']));
    }
    await compare(test, records, {});
  });
});
