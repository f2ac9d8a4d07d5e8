// Every change leaves a record that is stored together with it, and the records show whether one was changed.
import { internals } from '../../src/core/internals.js';
import { memoryAdapter, sqliteAdapter, type AuditActor } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, unknownId } from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';

const password = 'correct horse battery';
const newPassword = 'staple battery horse';

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describeAdapters('the audit log', ({ make, uniqueEmail, adapter }) => {
  const { makePro } = proFixtures({ make, uniqueEmail });
  const makeAudited = (overrides = {}) => makePro({ audit: true, ...overrides });

  it('records a sign-up, a change of the password and a failed sign-in', async () => {
    const { service } = await makeAudited();
    const email = uniqueEmail();
    const context = { ip: '192.0.2.7', userAgent: 'Phone', startSession: true };
    const { user, session } = await service.emailPassword.signup({ email, password }, context);
    const own = { ...context, sessionToken: session!.token };
    await service.emailPassword.changePassword(
      { userId: user.id, currentPassword: password, newPassword },
      own,
    );
    const wrong = { email, password: 'another wrong password' };
    expect(await outcomeOf(() => service.emailPassword.login(wrong, context))).toBe('invalid_credentials');
    const { records } = await service.audit.list({ userId: user.id, outcome: 'success' });
    const actions = records.map(({ action }) => action).sort();
    expect(actions).toEqual(['password.changed', 'session.created', 'session.created', 'user.created']);
    expect(records.every(({ outcome }) => outcome === 'success')).toBe(true);
    const { records: failures } = await service.audit.list({ action: 'sign_in.failed', limit: 1 });
    expect(failures).toMatchObject([
      {
        ...{
          action: 'sign_in.failed',
          outcome: 'failure',
          reason: expect.any(String) as string,
          userId: user.id,
        },
        details: { method: 'password_login' },
        actors: [{ type: 'anonymous' }],
        origin: { ip: '192.0.2.7', userAgent: 'Phone' },
      },
    ]);
    expect(JSON.stringify([records, failures])).not.toContain(password);
  });

  it('does not record a change that was refused', async () => {
    const { service } = await makeAudited();
    const { user } = await service.emailPassword.signup({ email: uniqueEmail(), password });
    const change = { userId: user.id, currentPassword: 'another wrong password', newPassword };
    expect(await outcomeOf(() => service.emailPassword.changePassword(change))).toBe('invalid_credentials');
    expect(await outcomeOf(() => service.users.block(unknownId))).toBe('user_not_found');
    const { records } = await service.audit.list({ userId: user.id });
    expect(records.map(({ action }) => action)).toEqual(['sign_in.failed', 'user.created']);
  });

  it('names the administrator of a change, and the system without one', async () => {
    const { service } = await makeAudited();
    const { user } = await service.emailPassword.signup({ email: uniqueEmail(), password });
    await service.users.block(user.id, { reason: 'abuse' }, { actor: { type: 'user', id: unknownId } });
    await service.users.unblock(user.id);
    const { records } = await service.audit.list({ userId: user.id, limit: 2 });
    expect(records.map(({ action, actors }) => [action, actors])).toEqual([
      ['user.unblocked', [{ type: 'system' }]],
      ['user.blocked', [{ type: 'user', id: unknownId }]],
    ]);
    const { records: byActor } = await service.audit.list({ actorId: unknownId, userId: user.id });
    expect(byActor.map(({ action }) => action)).toEqual(['user.blocked']);
  });

  it('lists in pages, and by time', async () => {
    const { clock, service } = await makeAudited();
    const start = new Date(clock.now());
    const { user } = await service.emailPassword.signup({ email: uniqueEmail(), password });
    clock.advance(1_000);
    const middle = new Date(clock.now());
    await service.users.block(user.id);
    await service.users.unblock(user.id);
    const first = await service.audit.list({ userId: user.id, limit: 2 });
    const second = await service.audit.list({ userId: user.id, limit: 2, cursor: first.nextCursor });
    expect([...first.records, ...second.records].map(({ action }) => action)).toHaveLength(3);
    expect(second.nextCursor).toBeNull();
    const before = await service.audit.list({ userId: user.id, from: start, until: middle });
    expect(before.records.map(({ action }) => action)).toEqual(['user.created']);
    const since = await service.audit.list({ userId: user.id, from: middle });
    expect(since.records).toHaveLength(2);
  });

  it('verifies, also after the records of a user were anonymized and the account was deleted', async () => {
    const { service } = await makeAudited();
    const context = { ip: '192.0.2.8', userAgent: 'Tablet' };
    const { user } = await service.emailPassword.signup({ email: uniqueEmail(), password }, context);
    const { user: other } = await service.emailPassword.signup({ email: uniqueEmail(), password }, context);
    expect(await service.audit.verify()).toMatchObject({ ok: true, fault: null });
    expect(await service.audit.anonymize(other.id)).toBe(0);
    await service.account.deleteUser(user.id);
    const { records } = await service.audit.list({ userId: user.id });
    expect(records.map(({ action, origin }) => [action, origin])).toEqual([
      ['user.deleted', null],
      ['user.created', null],
    ]);
    const head = await service.audit.head();
    expect(await service.audit.verify({ heads: [head!] })).toMatchObject({ ok: true, fault: null, head });
  });

  it('removes the address of a user from what a key of the user did to others', async () => {
    const { service } = await makeAudited();
    const { user } = await service.emailPassword.signup({ email: uniqueEmail(), password });
    const actors = [{ type: 'user', id: user.id } as const, { type: 'api_key', id: unknownId } as const];
    const { user: other } = await service[internals].actingRequests.run(
      () => ({ actors, ip: '192.0.2.8' }),
      () => service.emailPassword.signup({ email: uniqueEmail(), password }),
    );
    const created = async () => (await service.audit.list({ userId: other.id })).records[0];
    expect(await created()).toMatchObject({ actors, origin: { ip: '192.0.2.8' } });
    expect(await service.audit.anonymize(user.id)).toBe(1);
    expect(await created()).toMatchObject({ actors, origin: null });
    expect(await service.audit.verify()).toMatchObject({ ok: true });
  });

  it('records with its actor that an account was anonymized, and without an origin', async () => {
    const { service } = await makeAudited();
    const context = { ip: '192.0.2.7', userAgent: 'Phone', startSession: true };
    const { user } = await service.emailPassword.signup({ email: uniqueEmail(), password }, context);
    const { actingRequests } = service[internals];
    const within = (actors: AuditActor[]) =>
      actingRequests.run(
        () => ({ actors, ip: '192.0.2.8', userAgent: 'Laptop' }),
        () => service.audit.anonymize(user.id),
      );
    const actor = { type: 'user', id: unknownId } as const;
    const events: unknown[] = [];
    service.on('audit.anonymized', (event) => void events.push(event));
    await within([{ type: 'user', id: user.id }]);
    await within([]);
    await service.audit.anonymize(user.id, { actor });
    await service.audit.anonymize(user.id);
    const { records } = await service.audit.list({ userId: user.id });
    const own = records.filter(({ action }) => action === 'audit.anonymized');
    expect(own.map(({ actors }) => actors)).toEqual([
      [{ type: 'system' }],
      [actor],
      [{ type: 'anonymous' }],
      [{ type: 'user', id: user.id }],
    ]);
    expect(own.map(({ details }) => details)).toEqual([{}, {}, {}, {}]);
    expect(records.filter(({ origin }) => origin !== null)).toEqual([]);
    expect(await service.audit.verify()).toMatchObject({ ok: true });
    await service.close();
    const { id: userId } = user;
    expect(events).toEqual([{ userId }, { userId }, { userId, actor }, { userId }]);
  });

  it('anonymizes nothing if the record of it cannot be stored', async () => {
    // In memory nothing is undone.
    const own = sqliteAdapter();
    const failing = { ...own, audit: { ...own.audit! } };
    const { service } = await makeAudited({ adapter: failing });
    const ip = '192.0.2.7';
    const { user } = await service[internals].actingRequests.run(
      () => ({ actors: [], ip }),
      () => service.emailPassword.signup({ email: uniqueEmail(), password }),
    );
    failing.audit.within = (work, recordsOf) =>
      own.audit!.within(work, (result) =>
        recordsOf(result).map((record) => ({ ...record, action: null as never })),
      );
    expect(await outcomeOf(() => service.audit.anonymize(user.id))).not.toBe('ok');
    const { records } = await service.audit.list({ userId: user.id });
    expect(records.map(({ action }) => action)).not.toContain('audit.anonymized');
    expect(records.some(({ origin }) => origin?.ip === ip)).toBe(true);
    await service.close();
  });

  it('verifies with a previous secret', async () => {
    const own = memoryAdapter();
    const { service } = await makeAudited({ adapter: own });
    await service.emailPassword.signup({ email: uniqueEmail(), password });
    await service.audit.seal();
    const rotated = { secret: 'another secret of the tests, 32 bytes or more' };
    const previousSecrets = ['a secret of the tests, 32 bytes or more, no other'];
    const later = await makeAudited({ adapter: own, session: { ...rotated, previousSecrets } });
    await later.service.emailPassword.signup({ email: uniqueEmail(), password });
    expect(await later.service.audit.verify()).toMatchObject({ ok: true });
    const forgetful = await makeAudited({ adapter: own, session: rotated });
    expect(await forgetful.service.audit.verify()).toMatchObject({ ok: false });
  });

  it('yields every record once in the order of the seals, and continues behind a cursor', async () => {
    const { service } = await makeAudited();
    const users: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      users.push((await service.emailPassword.signup({ email: uniqueEmail(), password })).user.id);
      if (count === 1) await service.audit.seal();
    }
    const all = await collect(service.audit.tail({ follow: false }));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const own = all.filter(({ userId }) => users.includes(userId ?? ''));
    expect(own.map(({ userId }) => userId)).toEqual(users);
    const rest = await collect(service.audit.tail({ after: own[1]!.cursor, follow: false }));
    expect(rest.map(({ userId }) => userId)).toEqual([users[2]]);
    const stop = new AbortController();
    const following = service.audit.tail({ after: all.at(-1)!.cursor, pollMs: 5, signal: stop.signal });
    const next = following.next();
    await service.users.block(users[0]!);
    expect((await next).value).toMatchObject({ action: 'user.blocked' });
    stop.abort();
    expect((await following.next()).done).toBe(true);
  });

  it('removes whole seals after the days of retention, and verifies the rest', async () => {
    const { clock, service } = await makeAudited({ audit: { retentionDays: 30 } });
    const { user } = await service.emailPassword.signup({ email: uniqueEmail(), password });
    await service.audit.seal();
    clock.advance(31 * 24 * 60 * 60_000);
    await service.users.block(user.id);
    await service.audit.seal();
    expect((await service.purgeExpired())['auditRecords']).toBeGreaterThan(0);
    const { records } = await service.audit.list({ userId: user.id });
    expect(records.map(({ action }) => action)).toEqual(['user.blocked']);
    expect(await service.audit.verify()).toMatchObject({ ok: true, fault: null });
  });

  it('emits the events of a change after it is stored', async () => {
    const test = await makeAudited();
    await test.takeEvents();
    const { user } = await test.service.emailPassword.signup({ email: uniqueEmail(), password });
    expect((await test.takeEvents()).map(({ name }) => name)).toContain('user.created');
    expect(await adapter().users.findById(user.id)).not.toBeNull();
  });

  it('refuses unknown conditions and options', async () => {
    const { service } = await makeAudited();
    expect(await outcomeOf(() => service.audit.list({ user: 'x' } as never))).toBe('invalid_request');
    expect(await outcomeOf(() => service.audit.list({ cursor: 'x' }))).toBe('invalid_request');
    expect(await outcomeOf(() => service.audit.verify({ head: [] } as never))).toBe('invalid_request');
    expect(() => service.audit.tail({ after: 'x' })).toThrow('after must be the cursor of a record.');
    const { service: plain } = await makePro();
    expect(await outcomeOf(() => plain.audit.list())).toBe('provider_not_configured');
  });
});
