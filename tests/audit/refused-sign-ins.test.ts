// Each attempt to sign in that is refused leaves one record with its reason, and a flood few records.
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { internals } from '../../src/core/internals.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute } from '../support/make-pro-service.js';
import { errorOf } from '../support/outcomes.js';
import { limitedRows, password, rows, signInWorlds, type World } from './refused-sign-ins.js';

let idp: MockIdentityProvider;
beforeAll(async () => {
  idp = await mockIdentityProvider({ redirectUri: 'http://localhost:3000/api/auth/oauth/acme/callback' });
});
afterAll(() => idp.close());

let clients = 0;

describeAdapters('records of refused sign-ins', ({ make, uniqueEmail, adapter }) => {
  const worldOf = signInWorlds({ make, uniqueEmail });
  const makeWorld = () => worldOf(idp, `198.51.100.${(clients += 1)}`);

  /** The records of a client, the newest first. */
  async function recordsOf({ service, context }: World) {
    const { records } = await service.audit.list({ action: 'sign_in.failed', limit: 100 });
    return records.filter(({ origin }) => origin?.ip === context.ip);
  }

  it.each(rows)('%s leaves one record of %s, with the reason %s', async (method, _cause, reason, refuse) => {
    const world = await makeWorld();
    const userId = (await refuse(world)) ?? null;
    const records = await recordsOf(world);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ outcome: 'failure', reason, userId, details: { method } });
    expect(records[0]!.origin).toMatchObject({ ip: world.context.ip, userAgent: 'Phone' });
    expect(records[0]!.actors).toEqual([{ type: 'anonymous' }]);
  });

  it.each(limitedRows)('%s leaves one record of an attempt that a limit of %s refuses', async (...row) => {
    const [method, , reason, prepare] = row;
    const world = await makeWorld();
    const attempt = await prepare(world);
    // In a window in which nothing is counted together.
    world.clock.advance(minute);
    const before = new Set((await recordsOf(world)).map(({ id }) => id));
    await errorOf(attempt);
    const records = (await recordsOf(world)).filter(
      ({ id, details }) => !before.has(id) && !details['count'],
    );
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      details: { method },
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('names no user of the browser as the actor of a forged redirect from an identity provider', async () => {
    const world = await makeWorld();
    const { service, context } = world;
    const { user } = await service.emailPassword.signup({ email: world.newEmail(), password });
    const forged = new URLSearchParams({ code: 'code', state: 'state' });
    await service[internals].actingRequests.run(
      () => ({ actors: [{ type: 'user', id: user.id }], ip: context.ip }),
      () => errorOf(() => service.oauth('acme').finishRedirect(forged, undefined, context)),
    );
    expect((await recordsOf(world)).map(({ actors }) => actors)).toEqual([[{ type: 'anonymous' }]]);
  });

  it('counts attempts together that are alike, beyond ten a minute', async () => {
    const world = await makeWorld();
    const forge = () => errorOf(() => world.service.magicLink.verify('forged', world.context));
    for (let count = 0; count < 60; count += 1) await forge();
    expect(await recordsOf(world)).toHaveLength(10);
    world.clock.advance(minute);
    await forge();
    const [last, counted, ...rest] = await recordsOf(world);
    expect(rest).toHaveLength(10);
    const counts = [last, counted].map((record) => record!.details['count']);
    expect(counts).toContain(50);
    expect(counts).toContain(undefined);
    expect(await world.service.audit.verify()).toMatchObject({ ok: true });
  });

  it('stores what was counted when the service closes', async () => {
    const world = await makeWorld();
    for (let count = 0; count < 12; count += 1)
      await errorOf(() => world.service.magicLink.verify('forged', world.context));
    await world.service.close();
    const counts = (await recordsOf(world)).map(({ details }) => details['count']);
    expect(counts).toHaveLength(11);
    expect(counts).toContain(2);
  });

  it('stores attempts that were counted before the user was anonymized without their client', async () => {
    const world = await makeWorld();
    const { service, context } = world;
    const email = world.newEmail();
    const { user } = await service.emailPassword.signup({ email, password });
    const change = { userId: user.id, currentPassword: 'another wrong password', newPassword: password };
    for (let count = 0; count < 40; count += 1)
      await errorOf(() => service.emailPassword.changePassword(change, context));
    await service.audit.anonymize(user.id);
    await service.close();
    const stored = await adapter().audit!.list({ userId: user.id }, { limit: 100 });
    expect(stored.map(({ details }) => details).join()).toContain('"count"');
    expect(stored.filter(({ personal }) => personal !== null)).toEqual([]);
  });

  it('counts the attempts of one client together beyond 60 a minute, so that others keep their records', async () => {
    const world = await makeWorld();
    const { service, context } = world;
    const login = (from: object) =>
      errorOf(() => service.emailPassword.login({ email: world.newEmail(), password }, from));
    const addressOf = (count: number) => `2001:db8:1:${(count % 7).toString(16)}::${count.toString(16)}`;
    for (let count = 0; count < 700; count += 1)
      await errorOf(() => service.magicLink.verify('forged', { ip: addressOf(count) }));
    await login(context);
    expect((await recordsOf(world)).map(({ details }) => details)).toEqual([{ method: 'password_login' }]);
    await service.close();
    const stored = await adapter().audit!.list({ action: 'sign_in.failed' }, { limit: 1_000 });
    const flood = stored.filter(({ personal }) => personal?.includes('2001:db8:1:'));
    const counts = flood.map(({ details }) => (JSON.parse(details) as { count?: number }).count);
    expect(counts.filter((count) => count === undefined)).toHaveLength(60);
    expect(counts.filter((count) => count !== undefined)).toEqual([640]);
  });

  it('keeps a bounded number of records of attempts by any number of clients', async () => {
    const world = await makeWorld();
    const forge = (context: object) => errorOf(() => world.service.magicLink.verify('forged', context));
    for (let count = 0; count < 1_000; count += 1) await forge({ ip: `2001:db8:${count.toString(16)}::2` });
    await world.service.close();
    const failures = await adapter().audit!.list({ action: 'sign_in.failed' }, { limit: 2_000 });
    const own = failures.map(({ personal, details }) => ({
      isOwn: /2001:db8:\w+::2/.test(personal ?? ''),
      ...(JSON.parse(details) as { count?: number }),
    }));
    expect(own.filter(({ isOwn }) => isOwn)).toHaveLength(600);
    expect(own.filter(({ count }) => count === 400)).toHaveLength(1);
  });
});
