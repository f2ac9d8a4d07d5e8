// Two old systems with the same ids, and passwords that change in the old system between two imports.
import { randomUUID } from 'node:crypto';
import { bcryptHasher, type ImportedUser, type ImportOptions, type ServiceUser } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import { importedPassword, importingConfig, oldUser } from '../support/imported-users.js';

const digit = () => String(Math.floor(Math.random() * 1e12));

describeAdapters('an import of two systems with the same ids', (on) => {
  const { makePro } = proFixtures(on);
  const open = () => makePro(importingConfig());

  async function both({ service }: ProService, records: ImportedUser[], options: ImportOptions = {}) {
    const checked = await service.users.import(records, { ...options, dryRun: true });
    const stored = await service.users.import(records, options);
    expect(checked).toEqual(stored);
    return stored;
  }

  it('reports the users of a second system, who have the ids of the first one', async () => {
    const test = await open();
    const externalId = digit();
    await test.service.users.import([oldUser({ externalId })]);
    const report = await both(test, [oldUser({ externalId })]);
    expect(report).toMatchObject({ created: 0, unchanged: 1 });
    expect(report.faults).toEqual([
      expect.objectContaining({ index: 0, externalId, reason: 'account_differs', field: 'email' }),
    ]);
  });

  it('reports records of one source that have one id and different addresses or user names', async () => {
    const test = await open();
    const [first, second] = [digit(), digit()];
    const named = (username: string) =>
      oldUser({ externalId: second, email: null, emailVerified: null, username });
    const records = [
      oldUser({ externalId: first }),
      oldUser({ externalId: first }),
      named(`a${digit()}`),
      named(`b${digit()}`),
    ];
    for (const batchSize of [1, 500]) {
      const report = await test.service.users.import(records, { batchSize, dryRun: true });
      expect(report.faults.map(({ index, field }) => [index, field])).toEqual([
        [1, 'email'],
        [3, 'username'],
      ]);
    }
    expect((await both(test, records)).faults).toHaveLength(2);
  });

  it('keeps the users and the organizations of two systems apart by externalIdPrefix', async () => {
    const test = await open();
    const [externalId, org] = [digit(), digit()];
    const record = (name: string) =>
      oldUser({ externalId, memberships: [{ organization: { externalId: org, name }, role: 'owner' }] });
    const [shop, blog] = [record('Shop'), record('Blog')];
    const [a, b] = [`a${externalId}:`, `b${externalId}:`];
    expect(await both(test, [shop], { externalIdPrefix: a })).toMatchObject({ created: 1 });
    expect(await both(test, [blog], { externalIdPrefix: b })).toMatchObject({ created: 1 });
    expect(await both(test, [blog], { externalIdPrefix: b })).toMatchObject({ unchanged: 1, faults: [] });
    const find = async (id: string) => (await test.service.users.find({ externalId: id })) as ServiceUser;
    expect((await find(a + externalId)).email).toBe(shop.email);
    const { memberships } = await test.service.orgs.listForUser((await find(b + externalId)).id, {});
    expect(memberships.map(({ org: { name } }) => name)).toEqual(['Blog']);
  });

  it('keeps a UUID as the id, without the prefix', async () => {
    const test = await open();
    const id = randomUUID();
    await test.service.users.import([oldUser({ id, externalId: null })], { externalIdPrefix: 'shop:' });
    expect(await test.service.users.get(id)).toMatchObject({ externalId: null });
  });

  it('refuses an id that is too long with the prefix, and a prefix that is empty or not printable', async () => {
    const { service } = await open();
    const records = [oldUser({ externalId: 'x'.repeat(255) })];
    const report = await service.users.import(records, { externalIdPrefix: 'shop:' });
    expect(report).toMatchObject({ refused: 1, faults: [{ reason: 'id_invalid' }] });
    for (const externalIdPrefix of ['', ' a', 'é', 'x'.repeat(101)])
      await expect(service.users.import([], { externalIdPrefix })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('externalIdPrefix'),
      });
  });
});

describeAdapters('an import with updatePasswords', (on) => {
  const { makePro } = proFixtures(on);
  const hasher = bcryptHasher({ cost: 10 });
  const open = () => makePro({ providers: { emailPassword: { hasher } } });
  const changed = 'another horse battery';
  const update = { updatePasswords: true } as const;

  async function imported() {
    const test = await open();
    const hashOf = async (password: string) =>
      (await bcryptHasher({ cost: 10 }).hash(password)).replace('$2b$', '$2y$');
    const record = oldUser({ passwordHash: await hashOf(importedPassword) });
    await test.service.users.import([record]);
    const later = { ...record, passwordHash: await hashOf(changed) };
    const { id } = (await test.service.users.find({ externalId: String(record.externalId) }))!;
    const login = (password: string) =>
      test.service.emailPassword.login({ email: record.email!, password }, { startSession: true });
    return { ...test, id, login, record, later };
  }

  it('replaces a password that has changed in the old system', async () => {
    const { id, later, login, service, ...test } = await imported();
    await test.takeEvents();
    expect(await service.users.import([later], { ...update, dryRun: true })).toMatchObject({ renewed: 1 });
    expect(await service.users.import([later], update)).toMatchObject({
      renewed: 1,
      unchanged: 0,
      faults: [],
    });
    expect(await test.takeEvents()).toContainEqual({
      name: 'users.imported',
      payload: { created: [], merged: [], renewed: [id] },
    });
    await expect(login(importedPassword)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await login(changed);
    expect(await service.users.import([later], update)).toMatchObject({ renewed: 0, unchanged: 1 });
  });

  it('leaves the password as it is without the option, and if it has not changed', async () => {
    const { later, login, record, service } = await imported();
    expect(await service.users.import([record], update)).toMatchObject({ renewed: 0, unchanged: 1 });
    expect(await service.users.import([later])).toMatchObject({ renewed: 0, unchanged: 1 });
    await login(importedPassword);
  });

  it('never replaces the hash of a user who has signed in here, or has set a password here', async () => {
    const { id, later, login, service } = await imported();
    await login(importedPassword);
    expect(await service.users.import([later], update)).toMatchObject({ renewed: 0, unchanged: 1 });
    await login(importedPassword);
    await service.users.setPassword(id, 'a password of this system');
    expect(await service.users.import([later], update)).toMatchObject({ renewed: 0, unchanged: 1 });
    await login('a password of this system');
  });

  it('never gives the password to a user with another address', async () => {
    const { later, login, service } = await imported();
    const other = { ...later, email: on.uniqueEmail() };
    expect(await service.users.import([other], update)).toMatchObject({ renewed: 0, unchanged: 1 });
    await login(importedPassword);
  });

  describe('never gives the password of a stranger to the owner of the address', () => {
    const strangers = 'the password of a stranger';
    const owners = 'the password of the owner';
    const hash = async (password: string) => (await hasher.hash(password)).replace('$2b$', '$2y$');

    /** The account that a stranger has made in the old system with the address of the owner, and that of the owner. */
    async function bothUsers(ofStranger: Partial<ImportedUser>, ofOwner: Partial<ImportedUser>) {
      const email = on.uniqueEmail();
      const stranger = oldUser({
        email,
        externalId: null,
        ...ofStranger,
        passwordHash: await hash(strangers),
      });
      const owner = oldUser({ email, externalId: null, ...ofOwner, passwordHash: await hash(owners) });
      return [
        { ...stranger, emailVerified: false },
        { ...owner, emailVerified: true },
      ] as const;
    }

    it.each([
      ['that keep their ids', () => bothUsers({ id: randomUUID() }, { id: randomUUID() })],
      ['of two systems', () => bothUsers({ id: randomUUID() }, { externalId: `v${randomUUID()}` })],
      ['with ids of one system', () => bothUsers({ externalId: `s${randomUUID()}` }, {})],
    ])('if the records are users %s', async (_name, bring) => {
      const { service } = await open();
      const [stranger, owner] = await bring();
      const login = (password: string) =>
        service.emailPassword.login({ email: owner.email!, password }, { startSession: true });
      const trusted = { onConflict: 'merge' } as const;
      const checked = await service.users.import([stranger, owner, stranger], {
        ...trusted,
        ...update,
        dryRun: true,
      });
      expect(checked).toMatchObject({ created: 1, merged: 1, renewed: 0 });
      await service.users.import([stranger, owner], trusted);
      for (const records of [[stranger], [owner, stranger], [stranger, owner]])
        for (const onConflict of ['merge', 'skip'] as const)
          for (const dryRun of [true, false])
            expect(await service.users.import(records, { ...update, onConflict, dryRun })).toMatchObject({
              renewed: 0,
            });
      await expect(login(strangers)).rejects.toMatchObject({ code: 'invalid_credentials' });
      await login(owners);
    });
  });

  it('reports in a dry run a password that changes between two records of one source', async () => {
    const { service } = await open();
    const hash = async (password: string) => (await hasher.hash(password)).replace('$2b$', '$2y$');
    const record = oldUser({ passwordHash: await hash('one of the passwords') });
    const records = [record, { ...record, passwordHash: await hash('two of the passwords') }];
    const checked = await service.users.import(records, { ...update, dryRun: true });
    expect(checked).toMatchObject({ created: 1, renewed: 1 });
    expect(await service.users.import(records, update)).toEqual(checked);
  });
});
