/** Sessions of a former system whose adapter returns times that are not dates. */
import express from 'express';
import type { SessionSource } from 'svc-auth/moving';
import { openSite, type Site } from '../../support/http-site.js';

const open: Site[] = [];

afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

type Times = Partial<Record<'expiresAt' | 'signedInAt' | 'presentedUntil', unknown>>;

/** A source of an application without types. */
function sourceWith({ presentedUntil, ...times }: Times): SessionSource {
  return {
    name: 'own',
    find: ({ cookies }) =>
      cookies('old').map((id) => ({
        id,
        isAmbient: true,
        expiresAt: presentedUntil as Date,
        load: async () => ({ user: 'user-7', ...(times as { expiresAt?: Date; signedInAt?: Date }) }),
      })),
  };
}

async function statusWith(times: Times) {
  const source = sourceWith(times);
  const site = await openSite(express, undefined, { service: { session: { acceptSessionsFrom: [source] } } });
  open.push(site);
  await site.service.users.create({
    email: site.uniqueEmail(),
    emailVerified: true,
    externalId: 'user-7',
  });
  const { status } = await site.get('/session', { cookie: 'old=a-token' });
  return { status, logged: JSON.stringify(site.log) };
}

const future = '2999-01-01T00:00:00Z';

describe.each(['expiresAt', 'signedInAt', 'presentedUntil'] as const)('%s', (name) => {
  it.each([[future], [Date.parse(future)], [new Date(Number.NaN)], [{}]])(
    'counts as no session, and is logged, if it is %s',
    async (time) => {
      const { status, logged } = await statusWith({ [name]: time });
      expect(status).toBe(401);
      expect(logged).toMatch(/old_session_failed.*must be a valid Date/);
      expect(logged).not.toContain('a-token');
    },
  );

  it.each([[null], [undefined], [new Date(future)]])('is accepted if it is %s', async (time) => {
    expect((await statusWith({ [name]: time })).status).toBe(200);
  });
});
