/** The ids that users have in the application (docs/users.md, External ids). */
import { describeAdapters } from '../support/describe-adapters.js';
import { license } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';

describeAdapters('External ids', ({ make, uniqueEmail }) => {
  // An integer that no other user of the database has.
  const uniqueId = () => Number(`${uniqueEmail().replace(/\D/g, '').slice(-8)}${Date.now() % 10_000_000}`);

  it('create stores an integer as its digits, and find returns the user by the integer and by its digits', async () => {
    const { users } = (await make()).service;
    const id = uniqueId();
    const user = await users.create({ email: uniqueEmail(), externalId: id });
    expect(user.externalId).toBe(String(id));
    for (const externalId of [id, String(id), BigInt(id)])
      expect(await users.find({ externalId })).toEqual(user);
    expect((await users.list({ externalId: id })).users).toEqual([user]);
    expect(await users.count({ externalId: BigInt(id) })).toBe(1);
    expect(await users.find({ externalId: `0${id}` })).toBeNull();
  });

  it('a user without an external id has null, also if it was created with null', async () => {
    const { users } = (await make()).service;
    for (const externalId of [undefined, null])
      expect((await users.create({ email: uniqueEmail(), externalId })).externalId).toBeNull();
  });

  it('update sets, keeps and removes it, and reports the field', async () => {
    const { service } = await make(license);
    const { users } = service;
    const reported: unknown[] = [];
    service.on('user.updated', ({ fields }) => void reported.push(fields));
    const [id, other] = [uniqueId(), uniqueId()];
    const user = await users.create({ email: uniqueEmail(), externalId: id });
    expect((await users.update(user.id, { metadata: { a: 1 } })).externalId).toBe(String(id));
    expect((await users.update(user.id, { externalId: other })).externalId).toBe(String(other));
    expect(await users.find({ externalId: id })).toBeNull();
    expect((await users.update(user.id, { externalId: null })).externalId).toBeNull();
    expect((await users.create({ email: uniqueEmail(), externalId: other })).externalId).toBe(String(other));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toEqual([['metadata'], ['externalId'], ['externalId']]);
  });

  it('create and update reject a taken one with external_id_exists, and change nothing', async () => {
    const { users } = (await make()).service;
    const id = uniqueId();
    const [owner, email] = [await users.create({ email: uniqueEmail(), externalId: id }), uniqueEmail()];
    const refused = await errorOf(() => users.create({ email, externalId: String(id) }));
    expect(refused).toMatchObject({ code: 'external_id_exists' });
    expect(await users.find({ email })).toBeNull();
    const user = await users.create({ email });
    expect(await outcomeOf(() => users.update(user.id, { externalId: id, roles: ['x'] }))).toBe(
      'external_id_exists',
    );
    expect(await users.get(user.id)).toEqual(user);
    expect((await users.update(owner.id, { externalId: id })).externalId).toBe(String(id));
    const free = uniqueId();
    const outcomes = await race(10, () => users.create({ email: uniqueEmail(), externalId: free }));
    expect(outcomes).toEqual({ ok: 1, external_id_exists: 9 });
  });

  it.each([
    ['an empty string', ''],
    ['what a missing value became', 'undefined'],
    ['a part that was missing', 'tenant:null'],
    ['too long a string', 'x'.repeat(256)],
    ['a control character', 'a\0b'],
    ['a letter beyond ASCII', 'ä1'],
    ['a fraction', 1.5],
    ['a number that has lost digits', 2 ** 53],
    ['NaN', Number.NaN],
    ['a boolean', true],
    ['an object', {}],
    ['a list', ['1']],
  ])('create, update, find and list reject %s', async (_, value) => {
    const { users } = (await make()).service;
    const externalId = value as string;
    const { id } = await users.create({ email: uniqueEmail() });
    for (const call of [
      () => users.create({ email: uniqueEmail(), externalId }),
      () => users.update(id, { externalId }),
      () => users.find({ externalId }),
      () => users.list({ externalId }),
    ])
      expect(await outcomeOf(call)).toBe('invalid_request');
  });

  it('a deleted user frees it', async () => {
    const { service } = await make({ ...license, providers: { account: true } });
    const id = uniqueId();
    const user = await service.users.create({ email: uniqueEmail(), externalId: id });
    const { externalId } = await service.account.exportData(user.id);
    expect(externalId).toBe(String(id));
    await service.account.deleteUser(user.id);
    expect(await service.users.find({ externalId: id })).toBeNull();
    await service.users.create({ email: uniqueEmail(), externalId: id });
  });
});
