// The administration of users: lookups, lists and changes. Blocks: tests/attack/requirements/blocked-users.test.ts.
import { memoryAdapter } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { isFailure, invalidIds, license, unknownId } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';

const byUser = { actor: { type: 'user', id: 'support-1' } } as const;

describeAdapters('service.users', ({ make, uniqueEmail }) => {
  const makeLicensed = async () => {
    const test = await make(license);
    const events: unknown[] = [];
    test.service.on('*', (name, payload) => isFailure(name) || events.push([name, payload]));
    const takeEvents = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return events.splice(0);
    };
    return { ...test, users: test.service.users, takeEvents };
  };
  const uniqueName = () => `Name-${uniqueEmail().replace(/\D/g, '')}-x`;

  it('create stores what it is given, and get and find return it without the password hash', async () => {
    const { users, clock, takeEvents } = await makeLicensed();
    const email = uniqueEmail();
    const username = uniqueName();
    const input = {
      email: email.toUpperCase(),
      username,
      metadata: { plan: 'pro' },
      roles: ['support', 'admin'],
    };
    const user = await users.create({ ...input, emailVerified: true, password: 'correct horse' }, byUser);
    const at = new Date(clock.now());
    expect(user).toEqual({
      id: expect.any(String) as string,
      email,
      emailVerified: true,
      username,
      externalId: null,
      metadata: { plan: 'pro' },
      roles: ['admin', 'support'],
      createdAt: at,
      updatedAt: at,
      blocked: null,
      hasPassword: true,
      twoFactor: false,
      isGuest: false,
      lastSignInAt: null,
    });
    expect(await users.get(user.id)).toEqual(user);
    expect(await users.find({ email })).toEqual(user);
    expect(await users.find({ username: username.toUpperCase() })).toEqual(user);
    expect(await takeEvents()).toEqual([
      ['user.created', { userId: user.id, method: 'users.create', actor: byUser.actor }],
    ]);
  });

  it('a created user signs in with the password, which lastSignInAt records', async () => {
    const { users, service, clock } = await makeLicensed();
    const email = uniqueEmail();
    const { id } = await users.create({ email, password: 'correct horse' });
    await service.emailPassword.login({ email, password: 'correct horse' });
    expect((await users.get(id)).lastSignInAt).toBeNull();
    clock.advance(1000);
    await service.emailPassword.login({ email, password: 'correct horse' }, { startSession: true });
    expect((await users.get(id)).lastSignInAt).toEqual(new Date(clock.now()));
  });

  it('create refuses taken addresses and user names, weak passwords and malformed input', async () => {
    const { users } = await makeLicensed();
    const email = uniqueEmail();
    const username = uniqueName();
    await users.create({ email, username });
    expect(await outcomeOf(() => users.create({ email }))).toBe('email_exists');
    const taken = await errorOf(() => users.create({ username: username.toUpperCase() }));
    expect(taken).toMatchObject({ code: 'invalid_request', field: 'username', reason: 'username_taken' });
    expect(await outcomeOf(() => users.create({ email: uniqueEmail(), password: 'short' }))).toBe(
      'weak_password',
    );
    const malformed: unknown[] = [
      undefined,
      null,
      'x',
      { email: 'x' },
      { email: 42 },
      { emailVerified: true },
      { email: uniqueEmail(), emailVerified: 'yes' },
      { password: 'correct horse' },
      { email: uniqueEmail(), password: 42 },
      { username: '' },
      { username: 'a@b.test' },
      { username: 'admin' },
      { metadata: [] },
      { metadata: { __svc: 1 } },
      { roles: 'admin' },
      { roles: ['Admin'] },
      { roles: [''] },
      { roles: Array.from({ length: 21 }, (_, i) => `role${i}`) },
    ];
    for (const input of malformed) {
      expect([input, await outcomeOf(() => users.create(input as object))]).toEqual([
        input,
        'invalid_request',
      ]);
    }
    const free = uniqueName();
    const outcomes = await race(20, () => users.create({ username: free }));
    expect(outcomes).toEqual({ ok: 1, invalid_request: 19 });
  });

  it('find returns users by phone number and identity, and null for unknown ones', async () => {
    const { users, adapter } = await makeLicensed();
    const { id: userId } = await users.create({});
    const createdAt = new Date();
    const link = (provider: string, providerAccountId: string) =>
      adapter.identities.link({ id: userId, userId, provider, providerAccountId, createdAt }, 0);
    expect(await link('phone', '+12125550199')).toBe(true);
    expect((await users.find({ phone: '+1 212 555 0199' }))?.id).toBe(userId);
    expect((await users.find({ provider: 'phone', providerAccountId: '+12125550199' }))?.id).toBe(userId);
    expect(await users.find({ provider: 'google', providerAccountId: '+12125550199' })).toBeNull();
    expect(await users.find({ email: uniqueEmail() })).toBeNull();
    expect(await users.find({ username: 'nul\0' })).toBeNull();
    const malformed: unknown[] = [undefined, null, {}, 'x', { email: 'x' }, { phone: '1' }, { username: 1 }];
    for (const lookup of malformed) {
      expect(await outcomeOf(() => users.find(lookup as { email: string }))).toBe('invalid_request');
    }
  });

  it('list returns pages in both orders, and count their number', async () => {
    const { users, clock } = await makeLicensed();
    clock.advance(1000);
    const createdAfter = new Date(clock.now());
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      ids.push((await users.create({ email: uniqueEmail(), roles: i % 2 ? ['odd'] : [] })).id);
      clock.advance(1);
    }
    const filter = { createdAfter, createdBefore: new Date(clock.now()) };
    const newest: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await users.list({ ...filter, limit: 2, cursor });
      newest.push(...page.users.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(newest).toEqual([...ids].reverse());
    const { users: oldest, nextCursor } = await users.list({ ...filter, sort: 'oldest' });
    expect([oldest.map(({ id }) => id), nextCursor]).toEqual([ids, null]);
    expect(await users.count(filter)).toBe(5);
    expect(await users.count({ ...filter, role: 'odd' })).toBe(2);
  });

  it('search matches the beginning of an address or a user name without regard to case, or an id', async () => {
    const { users } = await makeLicensed();
    const email = `Search.${uniqueEmail()}`;
    const username = uniqueName();
    const user = await users.create({ email, username });
    const idsOf = async (search: string) => (await users.list({ search })).users.map(({ id }) => id);
    for (const search of [
      email,
      ` ${email.slice(0, -3).toUpperCase()} `,
      username,
      user.id,
      user.id.toUpperCase(),
    ]) {
      expect([search, await idsOf(search)]).toEqual([search, [user.id]]);
    }
    for (const search of [unknownId, '%', '_', 'nul\0']) expect(await idsOf(search)).toEqual([]);
  });

  it('search within words matches a text anywhere in an address or a user name', async () => {
    const { clock, users } = await makeLicensed();
    const text = uniqueEmail().replace(/\W/g, '').slice(0, 20);
    const inside = await users.create({ email: `a.${text}.b@example.test` });
    clock.advance(1_000);
    const named = await users.create({ username: `x-${text}` });
    const idsOf = async (search: string, sort?: 'oldest') =>
      (await users.list({ search, within: 'words', sort })).users.map(({ id }) => id);
    expect(await idsOf(` ${text.toUpperCase()} `)).toEqual([named.id, inside.id]);
    expect(await idsOf(text, 'oldest')).toEqual([inside.id, named.id]);
    expect(await idsOf(`${text}.b`)).toEqual([inside.id]);
    expect(await idsOf(named.id)).toEqual([named.id]);
    expect(await users.count({ search: text, within: 'words' })).toBe(2);
    expect(await users.count({ search: text })).toBe(0);
  });

  it('list and count refuse malformed conditions and pages', async () => {
    const { users } = await makeLicensed();
    const malformed: unknown[] = [
      'x',
      { search: 42 },
      { search: 'x'.repeat(321) },
      { search: 'ab', within: 'words' },
      { search: 'abc', within: 'names' },
      { role: 'No Role' },
      { blocked: 'yes' },
      { verified: 1 },
      { guest: 'no' },
      { createdAfter: '2030-01-01' },
      { createdBefore: new Date(NaN) },
      { createdBefore: new Date(8e15) },
    ];
    for (const query of malformed) {
      expect([query, await outcomeOf(() => users.list(query as object))]).toEqual([query, 'invalid_request']);
      expect([query, await outcomeOf(() => users.count(query as object))]).toEqual([
        query,
        'invalid_request',
      ]);
    }
    for (const page of [{ limit: 0 }, { limit: 201 }, { cursor: 'x' }, { sort: 'email' }]) {
      expect(await outcomeOf(() => users.list(page as object))).toBe('invalid_request');
    }
  });

  it('update changes the given fields, and merges metadata one level', async () => {
    const { users, clock, takeEvents } = await makeLicensed();
    const { id } = await users.create({ email: uniqueEmail(), metadata: { a: 1, b: { c: 1 }, d: 1 } });
    await takeEvents();
    clock.advance(1000);
    const merged = await users.update(id, { mergeMetadata: { b: { e: 2 }, d: null, f: 3 } }, byUser);
    expect(merged.metadata).toEqual({ a: 1, b: { e: 2 }, f: 3 });
    expect(merged.updatedAt).toEqual(new Date(clock.now()));
    const username = uniqueName();
    const changed = await users.update(id, {
      metadata: { g: 1 },
      roles: ['x', 'x'],
      emailVerified: true,
      username,
    });
    expect(changed).toMatchObject({ metadata: { g: 1 }, roles: ['x'], emailVerified: true, username });
    expect((await users.update(id, { username: null })).username).toBeNull();
    expect(await takeEvents()).toEqual([
      ['user.updated', { userId: id, fields: ['metadata'], ...byUser }],
      [
        'user.updated',
        { userId: id, fields: ['metadata', 'roles', 'emailVerified', 'username'], actor: { type: 'system' } },
      ],
      ['user.updated', { userId: id, fields: ['username'], actor: { type: 'system' } }],
    ]);
  });

  it('update with ifUpdatedAt succeeds once of 50 parallel calls, and merges of all are kept', async () => {
    const { users } = await makeLicensed();
    const user = await users.create({ metadata: {} });
    const by = { ifUpdatedAt: user.updatedAt };
    const outcomes = await race(50, (i) => users.update(user.id, { metadata: { winner: i } }, by));
    expect(outcomes).toEqual({ ok: 1, invalid_request: 49 });
    const late = await errorOf(() => users.update(user.id, { roles: ['x'] }, by));
    expect(late).toMatchObject({ field: 'ifUpdatedAt', reason: 'outdated' });
    await race(50, (i) => users.update(user.id, { mergeMetadata: { [`key${i}`]: i } }));
    expect(Object.keys((await users.get(user.id)).metadata)).toHaveLength(51);
  });

  it('a new address counts as unverified and ends every session', async () => {
    const { users, service } = await makeLicensed();
    const user = await users.create({ email: uniqueEmail(), emailVerified: true });
    const { token } = service.createSessionToken(user.id);
    const email = uniqueEmail();
    expect(await users.update(user.id, { email })).toMatchObject({ email, emailVerified: false });
    expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
    const verified = await users.update(user.id, { email: uniqueEmail(), emailVerified: true });
    expect(verified.emailVerified).toBe(true);
    const other = await users.create({ email });
    expect(await outcomeOf(() => users.update(user.id, { email: other.email }))).toBe('email_exists');
  });

  it('update refuses malformed changes, metadata that would become too large, and an address for a guest', async () => {
    const { users, adapter } = await makeLicensed();
    const { id } = await users.create({ metadata: { large: 'x'.repeat(8000) } });
    const guest = { id: unknownId.replace(/1$/, '2'), email: null, emailVerified: false, passwordHash: null };
    await adapter.guests!.insert({ ...guest, metadata: {}, createdAt: new Date() });
    const guestChange = await errorOf(() => users.update(guest.id, { email: uniqueEmail() }));
    expect(guestChange).toMatchObject({ code: 'invalid_request', reason: 'guest' });
    const malformed: unknown[] = [
      undefined,
      'x',
      { metadata: 'x' },
      { mergeMetadata: { more: 'x'.repeat(500) } },
      { metadata: {}, mergeMetadata: {} },
      { roles: [1] },
      { email: 'x' },
      { emailVerified: true },
      { username: 'root' },
    ];
    for (const changes of malformed) {
      expect([changes, await outcomeOf(() => users.update(id, changes as object))]).toEqual([
        changes,
        'invalid_request',
      ]);
    }
    for (const by of ['x', { ifUpdatedAt: 'x' }, { ifUpdatedAt: new Date(NaN) }, { actor: {} }]) {
      expect(await outcomeOf(() => users.update(id, { roles: [] }, by as object))).toBe('invalid_request');
    }
    expect((await users.get(id)).roles).toEqual([]);
  });

  it('setPassword and signOut end every session and report the actor', async () => {
    const { users, service, takeEvents } = await makeLicensed();
    const email = uniqueEmail();
    const { id } = await users.create({ email });
    await takeEvents();
    const first = service.createSessionToken(id);
    expect((await users.setPassword(id, 'correct horse', byUser)).hasPassword).toBe(true);
    expect(await outcomeOf(() => service.getSessionUser(first.token))).toBe('token_invalid');
    await service.emailPassword.login({ email, password: 'correct horse' });
    expect(await outcomeOf(() => users.setPassword(id, 'short'))).toBe('weak_password');
    expect(await outcomeOf(() => users.setPassword(id, 42 as never))).toBe('invalid_request');
    const { id: nameless } = await users.create({});
    const error = await errorOf(() => users.setPassword(nameless, 'correct horse'));
    expect(error).toMatchObject({ code: 'invalid_request', reason: 'email_missing' });
    await users.signOut(id, byUser);
    expect((await takeEvents()).filter((each) => (each as [string])[0] !== 'user.created')).toEqual([
      ['password.set', { userId: id, ...byUser }],
      ['session.all_revoked', { userId: id, ...byUser }],
    ]);
  });

  it('setPassword ends the lockout of a user by address and by user name', async () => {
    const perAddress = { max: 2, windowMs: 60_000 };
    const usernames = { enabled: true };
    const { service } = await make({ ...license, usernames, rateLimit: { login: { perAddress } } });
    const subject = { email: uniqueEmail() };
    const named = { username: uniqueName() };
    for (const login of [subject, named]) {
      const { id } = await service.users.create({ ...login, password: 'correct horse' });
      const logIn = (password: string, ip: string) =>
        outcomeOf(() => service.emailPassword.login({ ...login, password }, { ip }));
      await logIn('wrong password', '192.0.2.1');
      await logIn('wrong password', '192.0.2.2');
      expect(await logIn('correct horse', '192.0.2.3')).toBe('rate_limit_exceeded');
      await service.users.setPassword(id, 'another horse');
      expect(await logIn('another horse', '192.0.2.3')).toBe('ok');
    }
  });

  it('block and unblock report the actor and the block, and refuse malformed blocks', async () => {
    const { users, clock, takeEvents } = await makeLicensed();
    const { id } = await users.create({});
    await takeEvents();
    const at = new Date(clock.now());
    const until = new Date(clock.now() + 1000);
    expect((await users.block(id, { reason: 'spam', until }, byUser)).blocked).toEqual({
      at,
      until,
      reason: 'spam',
    });
    expect((await users.list({ blocked: true, search: id })).users).toHaveLength(1);
    clock.advance(1000);
    expect((await users.get(id)).blocked).toBeNull();
    await users.unblock(id);
    await users.block(id);
    expect((await users.unblock(id, byUser)).blocked).toBeNull();
    expect(await takeEvents()).toEqual([
      ['user.blocked', { userId: id, ...byUser }],
      ['user.blocked', { userId: id, actor: { type: 'system' } }],
      ['user.unblocked', { userId: id, ...byUser }],
    ]);
    const malformed: unknown[] = [
      'x',
      { until: at },
      { until: 'tomorrow' },
      { until: new Date(NaN) },
      { reason: 42 },
      { reason: 'x'.repeat(501) },
      { reason: 'nul\0' },
    ];
    for (const block of malformed) {
      expect([block, await outcomeOf(() => users.block(id, block as object))]).toEqual([
        block,
        'invalid_request',
      ]);
    }
    expect((await users.get(id)).blocked).toBeNull();
  });

  it('lists sessions in pages, and ends sessions and identities of the user only', async () => {
    const { users, service, clock, takeEvents } = await makeLicensed();
    const email = uniqueEmail();
    const { id } = await users.create({ email, password: 'correct horse' });
    const other = await users.create({});
    const login = async (userAgent: string) => {
      clock.advance(1000);
      const context = { startSession: true, userAgent };
      return (await service.emailPassword.login({ email, password: 'correct horse' }, context)).session!;
    };
    const [first, second] = [await login('Firefox'), await login('Safari')];
    const query = { limit: 1, currentToken: second.token };
    const page = await users.listSessions(id, query);
    expect(page.sessions).toEqual([{ ...second.session, current: true }]);
    const next = await users.listSessions(id, { ...query, cursor: page.nextCursor! });
    expect(next).toEqual({ sessions: [{ ...first.session, current: false }], nextCursor: null });
    for (const wrong of ['x', { limit: 0 }, { cursor: 'x' }])
      expect(await outcomeOf(() => users.listSessions(id, wrong as object))).toBe('invalid_request');
    await takeEvents();
    await users.revokeSession(other.id, first.session.id, byUser);
    await users.revokeSession(id, 'x', byUser);
    expect(await outcomeOf(() => users.revokeSession(id, 1 as never))).toBe('invalid_request');
    expect(await outcomeOf(() => users.unlinkIdentity(id, 1 as never))).toBe('invalid_request');
    await users.revokeSession(id, first.session.id, byUser);
    await users.revokeSession(id, second.session.id);
    expect((await users.listSessions(id)).sessions).toEqual([]);
    expect(await users.listIdentities(id)).toEqual([]);
    const actor = { type: 'system' };
    expect(await takeEvents()).toEqual([
      ['session.revoked', { userId: id, sessionId: first.session.id, ...byUser }],
      ['session.revoked', { userId: id, sessionId: second.session.id, actor }],
    ]);
  });

  it('every method refuses an unknown id with user_not_found, and a malformed actor with invalid_request', async () => {
    const { users } = await makeLicensed();
    const { id } = await users.create({ email: uniqueEmail() });
    const calls: ((id: string, by?: object) => unknown)[] = [
      (userId, by) => users.update(userId, {}, by),
      (userId, by) => users.setPassword(userId, 'correct horse', by),
      (userId, by) => users.signOut(userId, by),
      (userId, by) => users.block(userId, {}, by),
      (userId, by) => users.unblock(userId, by),
      (userId, by) => users.revokeSession(userId, unknownId, by),
      (userId, by) => users.unlinkIdentity(userId, unknownId, by),
    ];
    const sessions = [
      { sessionEpoch: 'x' },
      { sessionEpoch: 0 },
      { sessionRoles: [] },
      { sessionRoles: [1] },
    ];
    const actors: unknown[] = [
      undefined,
      null,
      'x',
      {},
      { type: 'user' },
      { type: 'user', id: undefined },
      { type: 'root', id: 'x' },
    ];
    for (const call of calls) {
      for (const each of invalidIds)
        expect(await outcomeOf(() => call(each as string))).toBe('user_not_found');
      for (const actor of actors) {
        expect([actor, await outcomeOf(() => call(id, { actor }))]).toEqual([actor, 'invalid_request']);
      }
      // The epoch and the roles are those of a user.
      for (const session of sessions)
        expect([session, await outcomeOf(() => call(id, session))]).toEqual([session, 'invalid_request']);
    }
    for (const each of invalidIds) {
      const unknown = each as string;
      expect(await outcomeOf(() => users.get(unknown))).toBe('user_not_found');
      expect(await outcomeOf(() => users.listSessions(unknown))).toBe('user_not_found');
      expect(await outcomeOf(() => users.listIdentities(unknown))).toBe('user_not_found');
    }
  });
});

it('service.users needs no license and rejects with adapter_capability on an adapter without it', async () => {
  const { userAdministration: _, ...adapter } = memoryAdapter();
  const { service } = await makeService({ adapter });
  expect(await outcomeOf(() => service.users.get(unknownId))).toBe('adapter_capability');
  expect(await outcomeOf(() => service.users.list())).toBe('adapter_capability');
});
