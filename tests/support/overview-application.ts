/** An application with the overview of the admin pages, with or without numbers, for the browser tests. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, createService, memoryAdapter } from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { loginAs } from 'svc-auth/testing';
import { activePeriodsOf, hourOf, periodsOf } from '../../src/core/support/statistics-periods.js';

const hour = 60 * 60_000;
const now = Date.parse('2031-05-06T17:30:00Z');

/** The same numbers on every run: a wave over the day, and a few kinds. */
async function fill(adapter: ReturnType<typeof memoryAdapter>): Promise<void> {
  const kinds: [string, string, number][] = [
    ['sign_ups', 'email_code', 14],
    ['sign_ups', 'google', 9],
    ['sign_ins', 'password_login', 120],
    ['sign_ins', 'google', 75],
    ['sign_ins', 'passkey', 31],
    ['sign_ins', 'password_login+trusted_browser', 12],
    ['failed_sign_ins', 'invalid_credentials', 22],
    ['failed_sign_ins', 'code_expired', 4],
    ['limits', 'login:address', 5],
    ['mails', 'sent', 60],
    ['mails', 'failed', 3],
  ];
  for (let back = 0; back < 24 * 40; back += 1) {
    const at = hourOf(now - back * hour);
    const wave = 1 + Math.sin((back / 24) * 2 * Math.PI) * 0.8;
    const counts = kinds.flatMap(([name, label, size], index) =>
      periodsOf(at).map((period) => ({
        ...{ name, label, ...period },
        count: Math.round(size * wave * (1 + ((back + index) % 5) / 10)),
      })),
    );
    await adapter.statistics!.add(counts, []);
    if (back % 24 !== 0) continue;
    const active = activePeriodsOf(at.slice(0, 10)).map(({ period, countExpiresAt }) => ({
      ...{ period, name: 'active_users', label: '', expiresAt: countExpiresAt },
      count: 900 + ((back * 7) % 300),
    }));
    await adapter.statistics!.add(active, []);
  }
}

/** @param statistics whether the application counts. */
export async function startOverviewApplication(statistics: boolean) {
  const adapter = memoryAdapter();
  if (statistics) await fill(adapter);
  const service = createService({
    ...{ adapter, statistics, clock: () => now },
    session: { secret: 'a secret of the browser tests, 32 bytes long' },
  });
  await service.init();
  const app = express();
  app.use('/api/auth', createAuthRouter(service));
  app.use(
    '/admin',
    createAdminPages(service, { authorize: ({ roles }) => roles.includes('admin'), name: 'Acme admin' }),
  );
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = await loginAs(app, { email: 'ada@acme.test', roles: ['admin'] }, { service });
  return {
    origin,
    cookies: session.cookies(origin),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
