// `users.export`, and what an import does with the parts that only svc-auth can have written.
import { randomBytes, randomUUID } from 'node:crypto';
import { bcryptHasher, type ImportedUser, type ImportReport } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import { cheapHash, equippedOldUser, importingConfig, oldUser } from '../support/imported-users.js';

const newDigest = () => randomBytes(32).toString('base64url');
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

const reasonsOf = ({ faults }: ImportReport) => faults.map(({ reason, field }) => [reason, field]);

describeAdapters('users.export', (on) => {
  const { makePro } = proFixtures(on);
  const open = (options: object = {}) => makePro({ ...importingConfig(), ...options });
  async function exportedFrom({ service }: ProService): Promise<ImportedUser[]> {
    const all: ImportedUser[] = [];
    for await (const user of service.users.export()) all.push(user);
    return all;
  }
  const exportOf = async (test: ProService, externalId: string) =>
    (await exportedFrom(test)).find((user) => user.externalId === externalId);

  it('returns the records of users who were imported, with their secrets', async () => {
    const test = await open();
    const given = equippedOldUser({ blocked: { reason: 'spam' }, language: null });
    await test.service.users.import([given]);
    const record = await exportOf(test, String(given.externalId));
    const { name, organization } = { ...given.memberships![0]!, name: 'Acme' };
    expect(record).toMatchObject({
      email: given.email,
      emailVerified: true,
      username: given.username,
      phone: given.phone,
      phoneVerified: true,
      metadata: { plan: 'gold' },
      roles: ['editor'],
      createdAt: new Date('2019-03-04T05:06:07Z'),
      blocked: { reason: 'spam' },
      passwordHash: { format: 'svc-auth', hash: given.passwordHash },
      identities: [{ provider: 'google', providerAccountId: given.identities![0]!.providerAccountId }],
      totp: { secret, otherApps: [], codesByEmail: false },
      passkeys: [{ id: given.passkeys![0]!.id, publicKey: given.passkeys![0]!.publicKey }],
      apiKeys: [{ name: 'CI', prefix: given.apiKeys![0]!.prefix }],
      memberships: [{ role: 'owner', organization: { externalId: organization.externalId, name } }],
    });
    expect(record?.totp?.recoveryCodeHashes).toHaveLength(2);
  });

  it('leaves out guests, revoked keys and blocks that have ended', async () => {
    const test = await open();
    const { user: guest } = await test.service.sessionsProvider.createGuest();
    const user = await test.service.users.create({
      email: `${randomUUID()}@example.com`,
      emailVerified: true,
      externalId: randomUUID(),
    });
    const { record: key } = await test.service.apiKeys.create({ userId: user.id, name: 'CI' });
    await test.service.apiKeys.revoke(key.id);
    await test.service.users.block(user.id, { until: new Date(test.clock.now() + 1000) });
    test.clock.advance(1000);
    expect(await exportOf(test, user.externalId ?? '')).toMatchObject({ blocked: null, apiKeys: [] });
    expect((await exportedFrom(test)).some(({ id }) => id === guest.id)).toBe(false);
  });

  it('fails if it cannot decrypt an authenticator app, which would leave its user with one factor', async () => {
    const test = await open();
    await test.service.users.import([oldUser({ totp: { secret } })]);
    const others = await open({
      encryptionKey: 'another key of the tests, with 32 bytes',
      adapter: test.adapter,
    });
    await expect(exportedFrom(others)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('encryptionKey'),
    });
  });

  it('exports every user once, over several pages', async () => {
    const test = await open();
    await test.service.users.import(
      Array.from({ length: 1_201 }, (_, at) => oldUser({ externalId: `page-${at}` })),
    );
    const ids = (await exportedFrom(test)).map(({ externalId }) => externalId);
    expect(ids.filter((id) => String(id).startsWith('page-'))).toHaveLength(1_201);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describeAdapters('an import of exported users', (on) => {
  const { makePro } = proFixtures(on);
  const open = (options: object = {}) => makePro({ ...importingConfig(), ...options });

  it('keeps the ids of organizations, and finds them by them', async () => {
    const { service } = await open();
    const { id: ownerUserId } = await service.users.create({
      email: `${randomUUID()}@example.com`,
      emailVerified: true,
    });
    const { org } = await service.orgs.create({ name: 'Acme', ownerUserId });
    const membership = (id: string, role: 'owner' | 'member') => ({
      memberships: [{ organization: { externalId: id, id, name: 'Acme' }, role }],
    });
    const newId = randomUUID();
    const [inOld, inNew] = [oldUser(membership(org.id, 'member')), oldUser(membership(newId, 'owner'))];
    expect(await service.users.import([inOld, inNew])).toMatchObject({ created: 2, faults: [] });
    const userOf = async ({ externalId }: ImportedUser) =>
      (await service.users.find({ externalId: String(externalId) }))?.id ?? '';
    expect(await service.orgs.roleOf(org.id, await userOf(inOld))).toBe('member');
    expect(await service.orgs.roleOf(newId, await userOf(inNew))).toBe('owner');
  });

  it('reports an API key whose id another account has, and does not move it', async () => {
    const { service } = await open();
    const { id: userId } = await service.users.create({
      email: `${randomUUID()}@example.com`,
      emailVerified: true,
    });
    const { key, record } = await service.apiKeys.create({ userId, name: 'CI' });
    const stolen = oldUser({ apiKeys: [{ id: record.id, secretHash: newDigest(), name: 'CI' }] });
    const report = await service.users.import([stolen], { onConflict: 'skip' });
    expect(reasonsOf(report)).toEqual([['api_key_taken', 'apiKeys']]);
    expect(await service.apiKeys.verify(key)).toMatchObject({ userId });
  });

  it('stores digests of recovery codes only for a user who keeps the id', async () => {
    const { service } = await open();
    const totp = { secret, recoveryCodeHashes: [newDigest(), newDigest()] };
    const [kept, other] = [oldUser({ id: randomUUID(), totp }), oldUser({ totp })];
    expect(await service.users.import([kept, other])).toMatchObject({ created: 2 });
    const left = async ({ externalId }: ImportedUser) => {
      const user = await service.users.find({ externalId: String(externalId) });
      return (await service.totp.state(user?.id ?? '')).recoveryCodesLeft;
    };
    expect([await left(kept), await left(other)]).toEqual([2, 0]);
  });

  it('refuses parts that no export has written', async () => {
    const { service } = await open();
    const id = randomUUID();
    const faulty: [Partial<ImportedUser>, reason: string, field: string][] = [
      [{ apiKeys: [{ name: 'x' }] }, 'api_key_invalid', 'apiKeys'],
      [{ apiKeys: [{ name: 'x', id }] }, 'api_key_invalid', 'apiKeys'],
      [{ apiKeys: [{ name: 'x', id, secretHash: 'short' }] }, 'api_key_invalid', 'apiKeys'],
      [{ apiKeys: [{ name: 'x', id: '7', secretHash: newDigest() }] }, 'api_key_invalid', 'apiKeys'],
      [
        { apiKeys: [{ name: 'x', id, secretHash: newDigest(), digest: newDigest() }] },
        'api_key_invalid',
        'apiKeys',
      ],
      [{ totp: { secret, recoveryCodeHashes: ['plain-text'] } }, 'recovery_code_invalid', 'totp'],
      [{ totp: { secret, otherApps: [{ secret: 'x' }] } }, 'totp_invalid', 'totp'],
      [{ totp: { secret, otherApps: [{ secret }, { secret }, { secret }] } }, 'invalid_request', 'totp'],
      [
        { memberships: [{ organization: { externalId: 1, id: '1', name: 'Acme' }, role: 'owner' }] },
        'organization_invalid',
        'memberships',
      ],
      [{ passwordHash: { format: 'svc-auth', hash: 'unheard of' } }, 'hash_unknown', 'passwordHash'],
      [{ passwordHash: { format: 'svc-auth', hash: '' } }, 'hash_unknown', 'passwordHash'],
      [{ passwordHash: { format: 'svc-auth' } as never }, 'hash_unknown', 'passwordHash'],
      [
        { passwordHash: { format: 'svc-auth', hash: cheapHash('x'), salt: 'x' } as never },
        'hash_unknown',
        'passwordHash',
      ],
    ];
    const report = await service.users.import(faulty.map(([more]) => oldUser(more)));
    expect(reasonsOf(report)).toEqual(faulty.map(([, reason, field]) => [reason, field]));
    expect(report.created).toBe(0);
  });

  it('verifies long passwords as the exporting service did, and refuses hashes that would cost too much', async () => {
    const { service } = await open({ providers: { emailPassword: { hasher: bcryptHasher() } } });
    const password = 'a long passphrase '.repeat(5);
    const hash = await bcryptHasher().hash(password);
    const [own, foreign] = [
      oldUser({ passwordHash: { format: 'svc-auth', hash } }),
      oldUser({ passwordHash: hash }),
    ];
    const costly = oldUser({ passwordHash: { format: 'svc-auth', hash: hash.replace('$10$', '$31$') } });
    const report = await service.users.import([own, foreign, costly]);
    expect(reasonsOf(report)).toEqual([['hash_too_costly', 'passwordHash']]);
    const login = (user: ImportedUser) => service.emailPassword.login({ email: user.email ?? '', password });
    expect((await login(own)).user.email).toBe(own.email);
    await expect(login(foreign)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });
});
