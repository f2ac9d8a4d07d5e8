// An id of the former system leads to one account: no record gets one by which the account of another person is found.
import { randomUUID } from 'node:crypto';
import type { ImportedUser, ImportOptions } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import { importingConfig, oldUser } from '../support/imported-users.js';

describeAdapters(
  'users.import with a UUID that is the id of one account and the external id of another',
  (on) => {
    const { makePro } = proFixtures(on);
    const open = () => makePro(importingConfig());
    const spellings = [
      ['in lower case', (id: string) => id],
      ['in upper case', (id: string) => id.toUpperCase()],
    ] as const;

    async function both({ service }: ProService, records: ImportedUser[], options: ImportOptions) {
      const checked = await service.users.import(records, { ...options, dryRun: true });
      const stored = await service.users.import(records, options);
      expect(checked).toEqual(stored);
      return stored;
    }

    describe.each(spellings)('%s', (_, spell) => {
      it.each(['skip', 'merge'] as const)(
        'refuses it after the account with the id (%s)',
        async (onConflict) => {
          const test = await open();
          const id = randomUUID();
          await test.service.users.import([oldUser({ id, externalId: null })]);
          const report = await both(test, [oldUser({ externalId: spell(id) })], { onConflict });
          expect(report).toMatchObject({
            created: 0,
            faults: [{ index: 0, reason: 'id_taken', field: 'externalId' }],
          });
        },
      );

      it('refuses it after the account with the external id', async () => {
        const test = await open();
        const id = randomUUID();
        await test.service.users.import([oldUser({ externalId: spell(id) })]);
        const others = [oldUser({ id, externalId: null }), oldUser({ id, externalId: 'n'.concat(id) })];
        const report = await both(test, others, { onConflict: 'skip' });
        expect(report.created).toBe(0);
        expect(report.faults.at(-1)).toMatchObject({ index: 1, reason: 'id_taken', field: 'id' });
      });

      it.each([1, 500])('refuses the second one of an import in batches of %i', async (batchSize) => {
        for (const onConflict of ['skip', 'merge'] as const) {
          const test = await open();
          const id = randomUUID();
          const records = [oldUser({ id, externalId: 'n'.concat(id) }), oldUser({ externalId: spell(id) })];
          for (const [first, second] of [records, [...records].reverse()]) {
            const { service } = test;
            const report = await both(test, [first!, second!], { batchSize, onConflict });
            expect(report).toMatchObject({ created: 1, faults: [{ index: 1, reason: 'id_taken' }] });
            for (const { email } of records) {
              const user = await service.users.find({ email: email! });
              if (user) await service.account.deleteUser(user.id);
            }
          }
        }
      });

      it('gives it to the account itself', async () => {
        const test = await open();
        const id = randomUUID();
        const record = oldUser({ id, externalId: null });
        await test.service.users.import([record]);
        const again = oldUser({ email: record.email!, username: null, externalId: spell(id) });
        expect((await test.service.users.import([again], { onConflict: 'merge' })).faults).toEqual([]);
        expect(await test.service.users.find({ externalId: spell(id) })).toMatchObject({ id });
      });

      it('is refused by users.create and users.update', async () => {
        const { service } = await open();
        const [owner, other] = [randomUUID(), randomUUID()];
        await service.users.import([owner, other].map((id) => oldUser({ id, externalId: null })));
        const taken = { code: 'external_id_exists' };
        const externalId = spell(owner);
        await expect(service.users.create({ email: on.uniqueEmail(), externalId })).rejects.toMatchObject(
          taken,
        );
        await expect(service.users.update(other, { externalId })).rejects.toMatchObject(taken);
        expect(await service.users.update(owner, { externalId })).toMatchObject({ externalId });
      });
    });
  },
);
