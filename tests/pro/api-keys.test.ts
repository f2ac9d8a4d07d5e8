// API keys (specification 4.3 `apiKeys`; docs/security-requirements.md A-99, C-18, C-32).
import { createHash } from 'node:crypto';
import vm from 'node:vm';
import { describeAdapters } from '../support/describe-adapters.js';
import { day, minute, invalidIds, proFixtures } from '../support/make-pro-service.js';
import { apiKeyFixtures } from '../support/api-key-owners.js';
import { outcomeOf, race } from '../support/outcomes.js';

describeAdapters('API keys', ({ make, uniqueEmail, adapter, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = proFixtures({ make, uniqueEmail });
  const { verify, owners, userKey } = apiKeyFixtures({ makePro, verifiedUser });

  describe('create', () => {
    it('returns the key once, and a record without it', async () => {
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
      expect(await test.takeEvents()).toEqual([
        { name: 'api_key.created', payload: { apiKeyId: record.id, userId: user.id, orgId: null } },
      ]);
    });

    it('requires an owner and a name, and sets neither scopes nor an expiry by default', async () => {
      const { test, org } = await owners();
      const { record } = await test.service.apiKeys.create({ orgId: org.id, name: 'Deploy' });
      expect(record).toMatchObject({
        userId: null,
        orgId: org.id,
        scopes: [],
        metadata: {},
        expiresAt: null,
      });
      expect(await test.takeEvents()).toEqual([
        { name: 'api_key.created', payload: { apiKeyId: record.id, userId: null, orgId: org.id } },
      ]);
    });

    //
    it('creates unique keys with 256 bits of secret', async () => {
      const { test, user } = await owners();
      const keys = await Promise.all(
        Array.from(
          { length: 50 },
          async () => (await test.service.apiKeys.create({ userId: user.id, name: 'x' })).key,
        ),
      );
      for (const part of [1, 2]) expect(new Set(keys.map((key) => key.split('_')[part])).size).toBe(50);
    });

    // C-32
    it('requires exactly one owner', async () => {
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
      // null counts as not given.
      const other = { userId: user.id, orgId: null as unknown as undefined };
      expect(await outcomeOf(() => test.service.apiKeys.create({ name: 'x', ...other }))).toBe('ok');
    });

    // A-99, C-32
    it('rejects an unknown user with user_not_found, and an unknown organization with org_error', async () => {
      const { test, user, org } = await owners();
      for (const id of invalidIds.filter((each) => typeof each === 'string')) {
        expect(await outcomeOf(() => test.service.apiKeys.create({ userId: id, name: 'x' }))).toBe(
          'user_not_found',
        );
        expect(await outcomeOf(() => test.service.apiKeys.create({ orgId: id, name: 'x' }))).toBe(
          'org_error',
        );
      }
      // The id of an organization is not a user, and the reverse.
      expect(await outcomeOf(() => test.service.apiKeys.create({ userId: org.id, name: 'x' }))).toBe(
        'user_not_found',
      );
      expect(await outcomeOf(() => test.service.apiKeys.create({ orgId: user.id, name: 'x' }))).toBe(
        'org_error',
      );
      expect(await test.takeEvents()).toEqual([]);
    });

    // C-29
    it('rejects a guest with not_authorized', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      expect(await outcomeOf(() => test.service.apiKeys.create({ userId: user.id, name: 'x' }))).toBe(
        'not_authorized',
      );
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
    });

    it.each(['claim', 'revokeAll'] as const)(
      'rejects with token_invalid if a %s overtakes it',
      async (change) => {
        const { apiKeys, ...rest } = adapter();
        const insert: NonNullable<typeof apiKeys>['insert'] = async (key, epoch) => {
          const at = new Date(key.createdAt);
          if (change === 'claim') await rest.users.claim(key.userId!, at);
          else await rest.sessions.revokeAll(key.userId!, at);
          return apiKeys!.insert(key, epoch);
        };
        const test = await makePro({ adapter: { ...rest, apiKeys: { ...apiKeys!, insert } } });
        const user = await unverifiedUser(test);
        await test.takeEvents();
        const create = () => test.service.apiKeys.create({ userId: user.id, name: 'x' });
        expect(await outcomeOf(create)).toBe('token_invalid');
        expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
        expect(await test.takeEvents()).toEqual([]);
      },
    );

    it.each([
      ['a sparse list of scopes', { scopes: new Array(3) }],
      ['a missing scope in the list', { scopes: ['read', , 'write'] }], // eslint-disable-line no-sparse-arrays
      ['an expiry that only claims to be a Date', { expiresAt: { [Symbol.toStringTag]: 'Date' } }],
      ['an expiry that inherits from a Date', { expiresAt: Object.create(new Date('2199-01-01')) as Date }],
    ])('rejects %s with invalid_request and creates no key', async (_name, input) => {
      const { test, user } = await owners();
      const create = () => test.service.apiKeys.create({ userId: user.id, name: 'x', ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
    });

    it('trims the name, also of a byte order mark, which PGlite would drop', async () => {
      const { test, user } = await owners();
      const { record } = await test.service.apiKeys.create({ userId: user.id, name: '\ufeff CI ' });
      expect(record.name).toBe('CI');
      expect((await test.service.apiKeys.list({ userId: user.id }))[0]?.name).toBe('CI');
    });

    it('accepts a Date of another realm as the expiry', async () => {
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
    ])('rejects a key with %j with invalid_request and creates none', async (input) => {
      const { test, user } = await owners();
      const create = () => test.service.apiKeys.create({ userId: user.id, name: 'x', ...input } as never);
      expect(await outcomeOf(create)).toBe('invalid_request');
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
      expect(await test.takeEvents()).toEqual([]);
    });

    it('rejects an expiry in the past, or now, with invalid_request', async () => {
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

    it('accepts an expiry until the end of the year 9999, and rejects a later one with invalid_request', async () => {
      const latest = new Date('9999-12-31T23:59:59.999Z');
      const { test, user, key } = await userKey({}, { expiresAt: latest });
      expect((await test.service.apiKeys.verify(key)).expiresAt).toEqual(latest);
      for (const time of [latest.getTime() + 1, 8.64e15]) {
        const create = () =>
          test.service.apiKeys.create({ userId: user.id, name: 'x', expiresAt: new Date(time) });
        expect(await outcomeOf(create)).toBe('invalid_request');
      }
    });

    it('stores a copy of its input', async () => {
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

  describe('list', () => {
    it('returns the keys of one owner, newest first, with revoked ones, without secrets', async () => {
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
      const keys = await apiKeys.list({ userId: user.id });
      expect(keys).toEqual([
        records[0],
        { ...records[1], revokedAt: new Date(test.clock.now()) },
        records[2],
      ]);
      expect((await apiKeys.list({ orgId: org.id })).map(({ name }) => name)).toEqual(['org']);
      expect(JSON.stringify(keys)).not.toMatch(/secret|hash|[0-9a-f]{64}/i);
    });

    it('rejects missing, multiple and unknown owners', async () => {
      const { test, user, org } = await owners();
      const list = (owner: object) => outcomeOf(() => test.service.apiKeys.list(owner));
      for (const owner of [{}, { userId: user.id, orgId: org.id }, { userId: 7 }, { userId: null }]) {
        expect(await list(owner)).toBe('invalid_request');
      }
      for (const id of invalidIds.filter((each) => typeof each === 'string')) {
        expect([await list({ userId: id }), await list({ orgId: id })]).toEqual([
          'user_not_found',
          'org_error',
        ]);
      }
    });
  });

  describe('revoke', () => {
    it('revokes a key permanently and emits one event', async () => {
      const { test, user, key, record } = await userKey();
      await test.takeEvents();
      await test.service.apiKeys.revoke(record.id);
      expect(await verify(test, key)).toBe('api_key_invalid');
      const revokedAt = new Date(test.clock.now());
      test.clock.advance(minute);
      await test.service.apiKeys.revoke(record.id);
      expect(await test.service.apiKeys.list({ userId: user.id })).toMatchObject([{ revokedAt }]);
      expect(await test.takeEvents()).toEqual([
        { name: 'api_key.revoked', payload: { apiKeyId: record.id, userId: user.id, orgId: null } },
      ]);
    });

    it('emits one event for 50 concurrent calls', async () => {
      const { test, record } = await userKey();
      await test.takeEvents();
      expect(await race(50, () => test.service.apiKeys.revoke(record.id))).toEqual({ ok: 50 });
      expect(await test.takeEventNames()).toEqual(['api_key.revoked']);
    });

    it('ignores unknown ids, and rejects malformed ones with invalid_request', async () => {
      const { test, key } = await userKey();
      for (const id of [...invalidIds, key]) {
        const outcome = await outcomeOf(() => test.service.apiKeys.revoke(id as string));
        expect(outcome).toBe(typeof id === 'string' ? 'ok' : 'invalid_request');
      }
      expect(await verify(test, key)).toBe('ok');
    });

    it('keeps other keys of the owner valid', async () => {
      const { test, user, record } = await userKey();
      const other = await test.service.apiKeys.create({ userId: user.id, name: 'other' });
      await test.service.apiKeys.revoke(record.id);
      expect(await verify(test, other.key)).toBe('ok');
    });
  });

  if (!sql) return;
  // A-28, C-18
  it('stores keys as a digest of 256 random bits', async () => {
    const { key, record } = await userKey();
    const [row] = await sql(`select * from svc_api_keys where id = '${record.id}'`);
    const secret = key.split('_')[2]!;
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(JSON.stringify(row)).toContain(createHash('sha256').update(secret).digest('base64url'));
  });
});
