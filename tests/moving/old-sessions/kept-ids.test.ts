/** Sessions of users whose id in the former system has become their id here. */
import { randomUUID } from 'node:crypto';
import express from 'express';
import { cookieSession } from 'svc-auth/moving';
import { openSite, type Site } from '../../support/http-site.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

interface Given {
  externalId?: string;
  /** Writes the id as the former system does in a session. */
  spell?: (id: string) => string;
}

/** A user of a former system, who signed in there the day before the import. */
async function imported({ externalId, spell = (id) => id.toUpperCase() }: Given = {}) {
  const id = `${randomUUID().slice(0, -2)}aa`;
  const times: Date[] = [];
  const source = cookieSession({
    cookieName: 'old',
    findSession: (token) => (token === 'a-token' ? { user: spell(id), signedInAt: times[0] } : null),
    endSession: () => undefined,
  });
  const site = await openSite(express, undefined, {
    pro: true,
    service: { providers: { account: {} }, session: { acceptSessionsFrom: [source] } },
  });
  open.push(site);
  // At the start of a minute.
  site.clock.advance(60_000 - (site.clock.now() % 60_000));
  times.push(new Date(site.clock.now() - 86_400_000));
  const record = { id, externalId, email: site.uniqueEmail(), emailVerified: true };
  const report = await site.service.users.import([record]);
  expect(report.created).toBe(1);
  return { id, record, site, who: () => site.get('/session', { cookie: 'old=a-token' }) };
}

it('count as before the import', async () => {
  const { id, who } = await imported();
  const response = await who();
  expect([response.status, response.json.user?.id]).toEqual([200, id]);
});

it.each([1, 1_001, 60_000, 120_000])(
  'are refused when all sessions have been ended %d ms later',
  async (ms) => {
    const { id, site, who } = await imported();
    site.clock.advance(ms);
    await site.service.users.signOut(id);
    expect((await who()).status).toBe(401);
  },
);

it.each([
  ['within the minute', 0, 0],
  ['until the next minute', 0, 61_000],
  ['in the next minute', 61_000, 0],
])(
  'are refused when all sessions have been ended sixteen times %s after the import',
  async (_, first, last) => {
    const { id, site, who } = await imported();
    site.clock.advance(first);
    for (let count = 0; count < 15; count++) await site.service.users.signOut(id);
    site.clock.advance(last);
    await site.service.users.signOut(id);
    expect((await who()).status).toBe(401);
  },
);

it('are refused when the account was imported again and all its sessions have been ended', async () => {
  const { site, who, record } = await imported();
  await site.service.account.deleteUser(record.id);
  await site.service.users.import([record]);
  await site.service.users.signOut(record.id);
  expect((await who()).status).toBe(401);
});

it('are refused when the user is blocked', async () => {
  const { id, site, who } = await imported();
  await site.service.users.block(id);
  expect((await who()).status).toBe(401);
});

it('are refused when the user was deleted', async () => {
  const { id, site, who } = await imported();
  await site.service.account.deleteUser(id);
  expect((await who()).status).toBe(401);
});

it('do not lead to an account that has another external id', async () => {
  const { who } = await imported({ externalId: 'another' });
  expect((await who()).status).toBe(401);
});

it('lead to neither of two accounts, of which one has the id and the other one has it as its external id', async () => {
  const spell = (id: string) => `${id.slice(0, -2)}aA`;
  const { id, site, who } = await imported({ spell });
  // An id that is written in both cases is found only as it is written.
  const other = { externalId: spell(id), email: site.uniqueEmail(), emailVerified: true };
  await site.service.account.deleteUser(id);
  await site.service.users.import([other, { id, email: site.uniqueEmail(), emailVerified: true }], {
    onConflict: 'skip',
  });
  expect(await site.service.users.find({ externalId: spell(id) })).not.toMatchObject({ id });
  expect(await site.service.users.get(id)).toMatchObject({ externalId: null });
  expect((await who()).status).toBe(401);
});
