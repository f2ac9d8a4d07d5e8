// What an import adds to accounts that exist, and what it must never do to them.
import { randomUUID } from 'node:crypto';
import type { ImportedUser } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import {
  cheapHash,
  equippedOldUser,
  importedPassword,
  importingConfig,
  importingHasher,
  oldUser,
} from '../support/imported-users.js';

describeAdapters('users.import with onConflict: merge', (on) => {
  const { makePro, verifiedUser } = proFixtures(on);
  const open = () => makePro(importingConfig());
  const merge = ({ service }: ProService, ...records: ImportedUser[]) =>
    service.users.import(records, { onConflict: 'merge' });
  const signIn = ({ service }: ProService, email: string, password: string) =>
    service.emailPassword.login({ email, password }, { startSession: true });

  it('adds to a verified account what it does not have, and then finds it by the external id', async () => {
    const test = await open();
    const user = await verifiedUser(test);
    await test.service.users.update(user.id, { metadata: { plan: 'free', theme: 'dark' } });
    const record = equippedOldUser({
      email: user.email!,
      totp: null,
      metadata: { plan: 'gold', since: 2019 },
    });
    expect(await merge(test, record)).toMatchObject({ merged: 1, created: 0, skipped: 0 });
    const merged = await test.service.users.get(user.id);
    expect(merged).toMatchObject({
      externalId: record.externalId,
      username: record.username,
      hasPassword: true,
      metadata: { plan: 'free', theme: 'dark', since: 2019 },
      roles: [],
      createdAt: user.createdAt,
    });
    expect(await test.service.identities.list(user.id)).toHaveLength(2);
    expect(await test.service.apiKeys.list({ userId: user.id })).toHaveLength(1);
    expect(await test.service.orgs.listForUser(user.id)).toHaveLength(1);
    expect((await signIn(test, user.email!, importedPassword)).user.id).toBe(user.id);
    expect(await merge(test, record)).toMatchObject({ merged: 0, unchanged: 1, faults: [] });
  });

  it('never replaces a password, a user name, a second factor, metadata or roles', async () => {
    const test = await open();
    const email = on.uniqueEmail();
    const own = equippedOldUser({ email, passwordHash: cheapHash('the own password'), externalId: null });
    await merge(test, own);
    const before = (await test.service.users.find({ email }))!;
    const apps = await test.service.totp.listApps(before.id);
    const record = equippedOldUser({ email, roles: ['admin'], metadata: { plan: 'iron' } });
    const report = await merge(test, record);
    expect(report.faults).toMatchObject([{ index: 0, reason: 'roles_kept', field: 'roles' }]);
    const { updatedAt: _, ...after } = await test.service.users.get(before.id);
    const { updatedAt: __, ...expected } = before;
    expect(after).toEqual({ ...expected, externalId: record.externalId });
    expect(await test.service.totp.listApps(before.id)).toEqual(apps);
    expect(await signIn(test, email, 'the own password')).toHaveProperty('pending');
    await expect(signIn(test, email, importedPassword)).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
  });

  it('refuses to add to an account of a record that does not say that its address is verified', async () => {
    const test = await open();
    const { email, id } = await verifiedUser(test);
    for (const emailVerified of [false, null]) {
      const record = oldUser({ email, emailVerified });
      const report = await test.service.users.import([record], {
        onConflict: 'merge',
        emailVerified: 'trust-all',
      });
      expect(report).toMatchObject({ merged: 0, skipped: 1, faults: [{ reason: 'email_taken' }] });
    }
    expect(await test.service.users.get(id)).toMatchObject({ hasPassword: false, externalId: null });
  });

  it('reclaims an unverified account of a proven address, whose maker keeps nothing', async () => {
    const test = await open();
    const email = on.uniqueEmail();
    const squatter = await test.service.emailPassword.signup(
      { email, password: 'the password of a squatter' },
      { startSession: true },
    );
    const record = equippedOldUser({ email, totp: null });
    await test.takeEvents();
    expect(await merge(test, record)).toMatchObject({ merged: 1 });
    expect(await test.takeEventNames()).toEqual(['user.claimed', 'users.imported']);
    await expect(test.service.getSessionUser(squatter.session!.token)).rejects.toMatchObject({
      code: 'token_invalid',
    });
    await expect(signIn(test, email, 'the password of a squatter')).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    const { user } = await signIn(test, email, importedPassword);
    expect(user).toMatchObject({ id: squatter.user.id, emailVerified: true });
  });

  it('reports an unverified account as a conflict unless merge is given, and gives it nothing', async () => {
    const test = await open();
    const email = on.uniqueEmail();
    const { user } = await test.service.emailPassword.signup({
      email,
      password: 'the password of a squatter',
    });
    const report = await test.service.users.import([equippedOldUser({ email })], { onConflict: 'skip' });
    expect(report).toMatchObject({ skipped: 1, faults: [{ reason: 'email_taken' }] });
    expect(await test.service.identities.list(user.id)).toEqual([]);
    expect(await signIn(test, email, 'the password of a squatter')).toMatchObject({
      user: { emailVerified: false },
    });
  });

  it('does not add to an account when something of the record belongs to another one', async () => {
    const test = await open();
    const [one, other] = [await verifiedUser(test), equippedOldUser()];
    await merge(test, other);
    for (const taken of ['username', 'phone', 'identities', 'passkeys', 'apiKeys'] as const) {
      const report = await merge(
        test,
        oldUser({ email: one.email!, [taken]: other[taken], phoneVerified: true }),
      );
      expect(report).toMatchObject({ merged: 0, skipped: 1 });
    }
    expect(await test.service.users.get(one.id)).toMatchObject({ hasPassword: false, externalId: null });
  });

  it('does not add a record to the account of another external id, or of another id', async () => {
    const test = await open();
    const record = oldUser();
    await merge(test, record);
    const report = await merge(
      test,
      oldUser({ email: record.email! }),
      oldUser({ ...record, id: randomUUID() }),
    );
    expect(report).toMatchObject({ skipped: 1, unchanged: 1 });
    const [one, two] = [oldUser({ id: randomUUID() }), oldUser({ id: randomUUID() })];
    await merge(test, one, two);
    const mixed = await merge(test, { ...one, id: two.id! });
    expect(mixed).toMatchObject({ skipped: 1, faults: [{ reason: 'id_taken' }] });
  });

  it('ends every session when it adds a second factor, which the next sign-in requires', async () => {
    const test = await open();
    const { email, id } = await verifiedUser(test);
    await test.service.emailCode.sendCode({ email: email! });
    const code = test.mail.lastCode(email!)!;
    const { session } = await test.service.emailCode.verify({ email: email!, code }, { startSession: true });
    await merge(test, equippedOldUser({ email: email! }));
    await expect(test.service.getSessionUser(session!.token)).rejects.toMatchObject({
      code: 'token_invalid',
    });
    expect((await test.service.users.get(id)).twoFactor).toBe(true);
    expect(await signIn(test, email!, importedPassword)).toHaveProperty('pending');
  });

  it('merges two records of one file that have the same verified address', async () => {
    const test = await open();
    const email = on.uniqueEmail();
    const records = [
      oldUser({ email, externalId: null }),
      oldUser({ email: email.toUpperCase(), username: `u${randomUUID().slice(0, 8)}` }),
    ];
    expect(await merge(test, ...records)).toMatchObject({ created: 1, merged: 1 });
  });
});

describeAdapters('an import that is repeated', (on) => {
  const { makePro } = proFixtures(on);

  it('does not make tokens valid that a user had before a deletion', async () => {
    const { service } = await makePro({ providers: { emailPassword: { hasher: importingHasher() } } });
    const id = randomUUID();
    const record = oldUser({ id, externalId: null });
    await service.users.import([record]);
    const { token } = service.createSessionToken(id);
    const { session } = await service.emailPassword.login(
      { email: record.email!, password: importedPassword },
      { startSession: true },
    );
    expect((await service.getSessionUser(session!.token)).id).toBe(id);
    await service.account.deleteUser(id);
    await service.users.import([record]);
    await expect(service.getSessionUser(session!.token)).rejects.toMatchObject({ code: 'token_invalid' });
    await expect(service.getSessionUser(token)).rejects.toMatchObject({ code: 'token_invalid' });
  });
});
