// API keys (specification 4.3 `apiKeys`; docs/security-requirements.md A-99, C-18, C-32).
import { createHash } from 'node:crypto';
import vm from 'node:vm';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { day, minute, nobody, oddIds, pro, settled, type ProService } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';

describeAdapters('API keys', ({ make, person, adapter, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = pro({ make, person });
  const verify = ({ service }: ProService, key: unknown) =>
    outcomeOf(() => service.apiKeys.verify(key as string));

  async function owners(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const user = await verifiedUser(test);
    const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
    await test.heard();
    return { test, user, org };
  }

  async function userKey(overrides: Parameters<typeof makePro>[0] = {}, input: object = {}) {
    const { test, user, org } = await owners(overrides);
    const { key, record } = await test.service.apiKeys.create({ userId: user.id, name: 'CI', ...input });
    return { test, user, org, key, record };
  }

  describe('create', () => {
    it('gives the key once, and the record without it', async () => {
      const { test, user } = await owners();
      const expiresAt = new Date(test.clock.now() + day);
      const { key, record, ...others } = await test.service.apiKeys.create({
        userId: user.id,
        name: 'CI',
        scopes: ['builds:read', 'builds:write', 'builds:read'],
        expiresAt,
        metadata: { team: 'infra' },
      });
      expect(others).toEqual({});
      expect(key).toMatch(/^svc_[0-9a-f]{32}_[0-9a-f]{64}_[0-9a-f]{8}$/);
      expect(record).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        name: 'CI',
        prefix: key.slice(0, 20),
        userId: user.id,
        orgId: null,
        scopes: ['builds:read', 'builds:write'],
        metadata: { team: 'infra' },
        createdAt: new Date(test.clock.now()),
        lastUsedAt: null,
        expiresAt,
        revokedAt: null,
      });
      expect(key.split('_')[1]).toBe(record.id.replaceAll('-', ''));
      expect(await test.heard()).toEqual([
        { name: 'api_key.created', payload: { apiKeyId: record.id, userId: user.id, orgId: null } },
      ]);
    });

    it('needs an owner and a name, and is without scopes and end then', async () => {
      const { test, org } = await owners();
      const { record } = await test.service.apiKeys.create({ orgId: org.id, name: 'Deploy' });
      expect(record).toMatchObject({
        userId: null,
        orgId: org.id,
        scopes: [],
        metadata: {},
        expiresAt: null,
      });
      expect(await test.heard()).toEqual([
        { name: 'api_key.created', payload: { apiKeyId: record.id, userId: null, orgId: org.id } },
      ]);
    });

    it('A-99 has 256 bits of secret, and no two keys share a part of them', async () => {
      const { test, user } = await owners();
      const keys = await Promise.all(
        Array.from(
          { length: 50 },
          async () => (await test.service.apiKeys.create({ userId: user.id, name: 'x' })).key,
        ),
      );
      for (const part of [1, 2]) expect(new Set(keys.map((key) => key.split('_')[part])).size).toBe(50);
    });

    it('C-32 has exactly one owner', async () => {
      const { test, user, org } = await owners();
      const owner = [
        {},
        { userId: user.id, orgId: org.id },
        { userId: null, orgId: null },
        { userId: 7 },
        { orgId: [org.id] },
        { userId: [user.id] },
        { userId: user.id, orgId: 7 },
        { userId: {}, orgId: org.id },
      ];
      for (const each of owner) {
        expect([
          each,
          await outcomeOf(() => test.service.apiKeys.create({ name: 'x', ...each } as never)),
        ]).toEqual([each, 'invalid_request']);
      }
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
      // What is null is not given.
      const other = { userId: user.id, orgId: null as unknown as undefined };
      expect(await outcomeOf(() => test.service.apiKeys.create({ name: 'x', ...other }))).toBe('ok');
    });

    it('A-99 C-32 for an owner who does not exist is user_not_found or org_error', async () => {
      const { test, user, org } = await owners();
      for (const id of oddIds.filter((each) => typeof each === 'string')) {
        expect(await outcomeOf(() => test.service.apiKeys.create({ userId: id, name: 'x' }))).toBe(
          'user_not_found',
        );
        expect(await outcomeOf(() => test.service.apiKeys.create({ orgId: id, name: 'x' }))).toBe(
          'org_error',
        );
      }
      // An id of the other kind names nobody here.
      expect(await outcomeOf(() => test.service.apiKeys.create({ userId: org.id, name: 'x' }))).toBe(
        'user_not_found',
      );
      expect(await outcomeOf(() => test.service.apiKeys.create({ orgId: user.id, name: 'x' }))).toBe(
        'org_error',
      );
      expect(await test.heard()).toEqual([]);
    });

    it('C-29 for a guest is not_authorized', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      expect(await outcomeOf(() => test.service.apiKeys.create({ userId: user.id, name: 'x' }))).toBe(
        'not_authorized',
      );
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
    });

    it.each(['claim', 'revokeAll'] as const)('under way during a %s is token_invalid', async (change) => {
      const { apiKeys, ...rest } = adapter();
      const insert: NonNullable<typeof apiKeys>['insert'] = async (key, epoch) => {
        const at = new Date(key.createdAt);
        if (change === 'claim') await rest.users.claim(key.userId!, at);
        else await rest.sessions.revokeAll(key.userId!, at);
        return apiKeys!.insert(key, epoch);
      };
      const test = await makePro({ adapter: { ...rest, apiKeys: { ...apiKeys!, insert } } });
      const user = await unverifiedUser(test);
      await test.heard();
      const create = () => test.service.apiKeys.create({ userId: user.id, name: 'x' });
      expect(await outcomeOf(create)).toBe('token_invalid');
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
      expect(await test.heard()).toEqual([]);
    });

    it.each([
      ['holes for scopes', { scopes: new Array(3) }],
      ['a hole between scopes', { scopes: ['read', , 'write'] }], // eslint-disable-line no-sparse-arrays
      ['an end that only says it is a Date', { expiresAt: { [Symbol.toStringTag]: 'Date' } }],
      ['an end that inherits from a Date', { expiresAt: Object.create(new Date('2199-01-01')) as Date }],
    ])('with %s is invalid_request and leaves no key', async (_name, input) => {
      const { test, user } = await owners();
      const create = () => test.service.apiKeys.create({ userId: user.id, name: 'x', ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
    });

    it('trims the name, of the mark as well that some files begin with and PGlite would drop', async () => {
      const { test, user } = await owners();
      const { record } = await test.service.apiKeys.create({ userId: user.id, name: '\ufeff CI ' });
      expect(record.name).toBe('CI');
      expect((await test.service.apiKeys.list({ userId: user.id }))[0]?.name).toBe('CI');
    });

    it('takes a Date of another realm as the end', async () => {
      const { test, user } = await owners();
      const expiresAt = vm.runInNewContext(`new Date(${test.clock.now() + day})`) as Date;
      const { record } = await test.service.apiKeys.create({ userId: user.id, name: 'x', expiresAt });
      expect(record.expiresAt).toEqual(new Date(test.clock.now() + day));
    });

    it.each([
      { name: '' },
      { name: '   ' },
      { name: undefined },
      { name: 7 },
      { name: 'x'.repeat(101) },
      { name: 'two\nlines' },
      { scopes: 'read' },
      { scopes: null },
      { scopes: {} },
      { scopes: [''] },
      { scopes: [1] },
      { scopes: [['read']] },
      { scopes: [null] },
      { scopes: ['has space'] },
      { scopes: ['ünïcode'] },
      { scopes: ['x'.repeat(65)] },
      { scopes: Array.from({ length: 101 }, (_, i) => `s${i}`) },
      { expiresAt: 'tomorrow' },
      { expiresAt: '2099-01-01T00:00:00Z' },
      { expiresAt: 4_102_444_800_000 },
      { expiresAt: new Date(NaN) },
      { expiresAt: {} },
      { metadata: 'x' },
      { metadata: { __svc: {} } },
      { metadata: null },
    ])('with %j is invalid_request and leaves no key', async (input) => {
      const { test, user } = await owners();
      const create = () => test.service.apiKeys.create({ userId: user.id, name: 'x', ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
      expect(await test.heard()).toEqual([]);
    });

    it('with an end that is past, or now, is invalid_request', async () => {
      const { test, user } = await owners();
      const ending = (inMs: number) =>
        outcomeOf(() =>
          test.service.apiKeys.create({
            userId: user.id,
            name: 'x',
            expiresAt: new Date(test.clock.now() + inMs),
          }),
        );
      expect([await ending(-day), await ending(-1), await ending(0), await ending(1)]).toEqual([
        'invalid_request',
        'invalid_request',
        'invalid_request',
        'ok',
      ]);
    });

    it('with an end in the year 9999 is kept and found, with a later one invalid_request', async () => {
      const latest = new Date('9999-12-31T23:59:59.999Z');
      const { test, user, key } = await userKey({}, { expiresAt: latest });
      expect((await test.service.apiKeys.verify(key)).expiresAt).toEqual(latest);
      for (const time of [latest.getTime() + 1, 8.64e15]) {
        const create = () =>
          test.service.apiKeys.create({ userId: user.id, name: 'x', expiresAt: new Date(time) });
        expect(await outcomeOf(create)).toBe('invalid_request');
      }
    });

    it('keeps its own copy of what it is given', async () => {
      const { test, user } = await owners();
      const input = {
        userId: user.id,
        name: 'x',
        scopes: ['read'],
        metadata: { a: 1 },
        expiresAt: new Date(test.clock.now() + day),
      };
      const { key, record } = await test.service.apiKeys.create(input);
      input.scopes.push('admin');
      input.metadata.a = 2;
      input.expiresAt.setFullYear(2999);
      record.scopes.push('admin');
      const expected = { scopes: ['read'], metadata: { a: 1 }, expiresAt: new Date(test.clock.now() + day) };
      expect(await test.service.apiKeys.verify(key)).toMatchObject(expected);
      (await test.service.apiKeys.verify(key)).scopes.push('admin');
      expect(await test.service.apiKeys.verify(key)).toMatchObject(expected);
    });
  });

  describe('verify', () => {
    it('A-99 gives the record of a good key, without its hash', async () => {
      const { test, key, record } = await userKey({}, { scopes: ['read'] });
      expect(await test.service.apiKeys.verify(key)).toEqual(record);
    });

    it('A-99 costs one indexed read, and no write but once a minute', async () => {
      const calls: string[] = [];
      const { test, key } = await userKey({ adapter: noting(adapter(), calls) });
      calls.length = 0;
      await test.service.apiKeys.verify(key);
      await settled(test);
      expect(calls.filter((call) => call !== 'close')).toEqual(['apiKeys.findById', 'apiKeys.touch']);
      calls.length = 0;
      await test.service.apiKeys.verify(key);
      await settled(test);
      expect(calls.filter((call) => call !== 'close')).toEqual(['apiKeys.findById']);
    });

    it('A-99 refuses garbage and wrong checksums before it asks the database', async () => {
      const calls: string[] = [];
      const { test, user, key } = await userKey({ adapter: noting(adapter(), calls) });
      const [, id = '', secret = '', sum = ''] = key.split('_');
      const other = secret.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
      const pair = await test.service.refresh.issue({ userId: user.id });
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const garbage = [
        ...oddIds,
        'svc_',
        `svc_${id}_${secret}`,
        `svc_${id}_${secret}_`,
        `svc_${id}_${other}_${sum}`,
        `svc_${id.replace(/^./, 'f')}_${secret}_${sum}`,
        `svc_${id}_${secret}_00000000`,
        `SVC_${id}_${secret}_${sum}`,
        key.toUpperCase(),
        `${key} `,
        `${key}\n`,
        ` ${key}`,
        key.slice(0, -1),
        `${key}0`,
        `Bearer ${key}`,
        [key],
        { toString: () => key },
        token,
        pair.refreshToken,
        pair.accessToken,
      ];
      calls.length = 0;
      for (const each of garbage) expect(await verify(test, each)).toBe('api_key_invalid');
      await test.service.close();
      expect(calls.filter((call) => call !== 'close')).toEqual([]);
    });

    it('A-99 refuses a key of the right form with another secret, or another id', async () => {
      const { test, user, key } = await userKey();
      const second = await test.service.apiKeys.create({ userId: user.id, name: 'second' });
      const signed = (body: string) =>
        `${body}_${createHash('sha256').update(body).digest('hex').slice(0, 8)}`;
      const [, id = '', secret = ''] = key.split('_');
      // The control: this is how the checksum is made.
      expect(signed(`svc_${id}_${secret}`)).toBe(key);
      for (const forged of [
        signed(`svc_${id}_${'0'.repeat(64)}`),
        signed(`svc_${second.key.split('_')[1]}_${secret}`),
        signed(`svc_${nobody.replaceAll('-', '')}_${secret}`),
      ]) {
        expect(await verify(test, forged)).toBe('api_key_invalid');
      }
      expect(await verify(test, key)).toBe('ok');
    });

    it('ends at its end, to the millisecond', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      const expiresAt = new Date(test.clock.now() + 1234);
      const { key } = await test.service.apiKeys.create({ userId: user.id, name: 'x', expiresAt });
      test.clock.advance(1233);
      expect(await verify(test, key)).toBe('ok');
      test.clock.advance(1);
      expect(await verify(test, key)).toBe('api_key_invalid');
    });

    it('A-99 lets the key of a deleted owner die, user or organisation', async () => {
      const { test, user, org, key } = await userKey();
      const ofOrg = await test.service.apiKeys.create({ orgId: org.id, name: 'org' });
      const ofDoomed = await test.service.orgs.create({ name: 'Doomed', ownerUserId: user.id });
      const doomed = await test.service.apiKeys.create({ orgId: ofDoomed.org.id, name: 'doomed' });
      await test.service.orgs.delete(ofDoomed.org.id);
      expect([await verify(test, doomed.key), await verify(test, ofOrg.key)]).toEqual([
        'api_key_invalid',
        'ok',
      ]);
      const heir = await verifiedUser(test);
      await test.service.orgs.addMember(org.id, heir.id, 'owner');
      await test.service.account.deleteUser(user.id);
      expect([await verify(test, key), await verify(test, ofOrg.key)]).toEqual(['api_key_invalid', 'ok']);
    });

    it('T2 lets the keys of an account that was claimed die', async () => {
      // Only with this option does an account that can be claimed have keys.
      const test = await makePro({ providers: { apiKeys: { allowUnverified: true } } });
      const email = person();
      const { user } = await test.service.emailPassword.signup({ email, password: 'correct horse battery' });
      const { key } = await test.service.apiKeys.create({ userId: user.id, name: 'planted' });
      expect(await verify(test, key)).toBe('ok');
      await verifiedUser(test, email);
      expect(await verify(test, key)).toBe('api_key_invalid');
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
    });

    it('is the same for a key that is unknown, revoked, expired or garbage', async () => {
      const { test, user, key, record } = await userKey();
      await test.service.apiKeys.revoke(record.id);
      const expiresAt = new Date(test.clock.now() + 1);
      const expired = await test.service.apiKeys.create({ userId: user.id, name: 'x', expiresAt });
      test.clock.advance(1);
      const errors = await Promise.all(
        [key, expired.key, 'garbage'].map((each) => test.service.apiKeys.verify(each).catch(String)),
      );
      expect(new Set(errors).size).toBe(1);
    });

    it('50 times at once notes the use once', async () => {
      const calls: string[] = [];
      const { test, user, key } = await userKey({ adapter: noting(adapter(), calls) });
      expect(await race(50, () => test.service.apiKeys.verify(key))).toEqual({ ok: 50 });
      await settled(test);
      const [record] = await test.service.apiKeys.list({ userId: user.id });
      expect(record?.lastUsedAt).toEqual(new Date(test.clock.now()));
    });
  });

  describe('lastUsedAt', () => {
    it('is written at most once a minute', async () => {
      const { test, user, key } = await userKey();
      const start = test.clock.now();
      const used = async () => {
        await test.service.apiKeys.verify(key);
        await settled(test);
        const [record] = await test.service.apiKeys.list({ userId: user.id });
        return record!.lastUsedAt!.getTime() - start;
      };
      const at: number[] = [];
      for (const later of [0, 30_000, 60_000, 60_001, 120_001, 120_002, 600_000]) {
        test.clock.set(start + later);
        at.push(await used());
      }
      expect(at).toEqual([0, 0, 0, 60_001, 60_001, 120_002, 600_000]);
    });

    it('does not come from a key that was refused', async () => {
      const { test, user, key, record } = await userKey();
      await test.service.apiKeys.revoke(record.id);
      await verify(test, key);
      await settled(test);
      expect((await test.service.apiKeys.list({ userId: user.id }))[0]?.lastUsedAt).toBeNull();
    });

    it('that cannot be written does not stop the key, and is logged', async () => {
      const real = adapter();
      const failing = { ...real.apiKeys!, touch: () => Promise.reject(new Error('disk full')) };
      const { test, key } = await userKey({ adapter: { ...real, apiKeys: failing } });
      expect(await verify(test, key)).toBe('ok');
      await settled(test);
      const logged = test.log.filter(({ level }) => level === 'error');
      expect(logged).toEqual([expect.objectContaining({ message: expect.stringContaining('last use') })]);
    });
  });

  describe('list', () => {
    it('has the keys of one owner, newest first, revoked ones included, without secrets', async () => {
      const { test, user, org } = await owners();
      const { apiKeys } = test.service;
      const records = [];
      for (const name of ['a', 'b', 'c']) {
        records.unshift((await apiKeys.create({ userId: user.id, name })).record);
        test.clock.advance(1);
      }
      await apiKeys.create({ orgId: org.id, name: 'org' });
      await apiKeys.create({ userId: (await verifiedUser(test)).id, name: 'other' });
      await apiKeys.revoke(records[1]!.id);
      const listed = await apiKeys.list({ userId: user.id });
      expect(listed).toEqual([
        records[0],
        { ...records[1], revokedAt: new Date(test.clock.now()) },
        records[2],
      ]);
      expect((await apiKeys.list({ orgId: org.id })).map(({ name }) => name)).toEqual(['org']);
      expect(JSON.stringify(listed)).not.toMatch(/secret|hash|[0-9a-f]{64}/i);
    });

    it('of no owner, of two, and of who does not exist is refused', async () => {
      const { test, user, org } = await owners();
      const list = (owner: object) => outcomeOf(() => test.service.apiKeys.list(owner));
      for (const owner of [{}, { userId: user.id, orgId: org.id }, { userId: 7 }, { userId: null }]) {
        expect(await list(owner)).toBe('invalid_request');
      }
      for (const id of oddIds.filter((each) => typeof each === 'string')) {
        expect([await list({ userId: id }), await list({ orgId: id })]).toEqual([
          'user_not_found',
          'org_error',
        ]);
      }
    });
  });

  describe('revoke', () => {
    it('ends a key at once and for good, and is told once', async () => {
      const { test, user, key, record } = await userKey();
      await test.heard();
      await test.service.apiKeys.revoke(record.id);
      expect(await verify(test, key)).toBe('api_key_invalid');
      const revokedAt = new Date(test.clock.now());
      test.clock.advance(minute);
      await test.service.apiKeys.revoke(record.id);
      expect(await test.service.apiKeys.list({ userId: user.id })).toMatchObject([{ revokedAt }]);
      expect(await test.heard()).toEqual([
        { name: 'api_key.revoked', payload: { apiKeyId: record.id, userId: user.id, orgId: null } },
      ]);
    });

    it('50 times at once is told once', async () => {
      const { test, record } = await userKey();
      await test.heard();
      expect(await race(50, () => test.service.apiKeys.revoke(record.id))).toEqual({ ok: 50 });
      expect(await test.heardNames()).toEqual(['api_key.revoked']);
    });

    it('of what is no key changes nothing and is no failure of the service', async () => {
      const { test, key } = await userKey();
      for (const id of [...oddIds, key]) {
        const outcome = await outcomeOf(() => test.service.apiKeys.revoke(id as string));
        expect(outcome).toBe(typeof id === 'string' ? 'ok' : 'invalid_request');
      }
      expect(await verify(test, key)).toBe('ok');
    });

    it('leaves the other keys of the owner alone', async () => {
      const { test, user, record } = await userKey();
      const other = await test.service.apiKeys.create({ userId: user.id, name: 'other' });
      await test.service.apiKeys.revoke(record.id);
      expect(await verify(test, other.key)).toBe('ok');
    });
  });

  if (!sql) return;
  it('A-28 C-18 are in the database as a digest of 256 random bits, and nowhere in clear', async () => {
    const { key, record } = await userKey();
    const [row] = await sql(`select * from svc_api_keys where id = '${record.id}'`);
    const secret = key.split('_')[2]!;
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(JSON.stringify(row)).toContain(createHash('sha256').update(secret).digest('base64url'));
  });
});
