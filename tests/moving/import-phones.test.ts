// Phone numbers of `service.users.import`: a number signs its owner in, so that only one that the old system has verified is imported.
import type { ImportedUser, ImportReport } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { importingConfig, oldUser } from '../support/imported-users.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';

const newPhone = () => `+4915${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}`;
const reasonsOf = ({ faults }: ImportReport) =>
  faults.map(({ index, reason, field }) => [index, reason, field]);

describeAdapters('users.import of phone numbers', (on) => {
  const { makePro } = proFixtures(on);
  const open = () => makePro(importingConfig());
  const providersOf = async ({ service }: ProService, { externalId }: ImportedUser) => {
    const { id } = (await service.users.find({ externalId: String(externalId) }))!;
    return (await service.identities.list(id)).map(({ provider }) => provider);
  };

  it.each([[null], [undefined], [false]])(
    'keeps a user without the number if phoneVerified is %s, and reports it',
    async (phoneVerified) => {
      const test = await open();
      const user = oldUser({ phone: newPhone(), phoneVerified });
      const report = await test.service.users.import([user]);
      expect(report).toMatchObject({ created: 1, refused: 0 });
      expect(reasonsOf(report)).toEqual([[0, 'phone_unproven', 'phone']]);
      expect(await providersOf(test, user)).toEqual([]);
      expect(await test.service.users.find({ phone: user.phone! })).toBeNull();
      const again = await test.service.users.import([user]);
      expect(again).toMatchObject({ unchanged: 1, faults: [] });
    },
  );

  it('takes a number among the identities for one that must be verified, too', async () => {
    const test = await open();
    const phone = newPhone();
    const identities = [{ provider: 'phone', providerAccountId: phone }];
    const stranger = oldUser({ identities });
    expect(reasonsOf(await test.service.users.import([stranger]))).toEqual([[0, 'phone_unproven', 'phone']]);
    expect(await providersOf(test, stranger)).toEqual([]);
    const owner = oldUser({ identities, phoneVerified: true });
    expect((await test.service.users.import([owner])).faults).toEqual([]);
    expect(await providersOf(test, owner)).toEqual(['phone']);
  });

  it('does not take a number from its owner for a user who has not proven it', async () => {
    const test = await open();
    const phone = newPhone();
    const [stranger, owner] = [oldUser({ phone }), oldUser({ phone, phoneVerified: true })];
    const report = await test.service.users.import([stranger, owner]);
    expect(report).toMatchObject({ created: 2, skipped: 0 });
    expect(await providersOf(test, stranger)).toEqual([]);
    expect(await providersOf(test, owner)).toEqual(['phone']);
  });

  it('adds no unverified number to the account of an address', async () => {
    const test = await open();
    const first = oldUser({ externalId: null });
    await test.service.users.import([first]);
    const second = oldUser({ email: first.email!, phone: newPhone() });
    const report = await test.service.users.import([second], { onConflict: 'merge' });
    expect(report).toMatchObject({ merged: 1 });
    expect(reasonsOf(report)).toEqual([[0, 'phone_unproven', 'phone']]);
    expect(await providersOf(test, second)).toEqual([]);
  });

  it('lists the unverified numbers in a dry run', async () => {
    const { service } = await open();
    const users = [
      oldUser({ phone: newPhone(), phoneVerified: true }),
      oldUser({ phone: newPhone() }),
      oldUser({ phone: ' ' }),
    ];
    const report = await service.users.import(users, { dryRun: true });
    expect(report).toMatchObject({ created: 3 });
    expect(reasonsOf(report)).toEqual([[1, 'phone_unproven', 'phone']]);
  });

  it('imports every number with phoneVerified of the options', async () => {
    const test = await open();
    const user = oldUser({ phone: newPhone() });
    const report = await test.service.users.import([user], { phoneVerified: 'trust-all' });
    expect(report).toMatchObject({ created: 1, faults: [] });
    expect(await providersOf(test, user)).toEqual(['phone']);
  });

  it('refuses a user who has nothing but an unverified number', async () => {
    const { service } = await open();
    const user = { externalId: oldUser().externalId!, phone: newPhone() };
    const report = await service.users.import([user]);
    expect(reasonsOf(report)).toEqual([[0, 'sign_in_missing', 'phone']]);
    expect(await service.users.import([{ ...user, phoneVerified: true }])).toMatchObject({ created: 1 });
  });
});
