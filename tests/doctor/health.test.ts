/** `service.health()` and `healthRoute(service)`. */
import express from 'express';
import express4 from 'express4';
import request from 'supertest';
import {
  createService,
  healthRoute,
  knexAdapter,
  memoryAdapter,
  type HealthRouteOptions,
  type Service,
  type StorageAdapter,
} from 'svc-auth';
import { redisCounters } from 'svc-auth/redis';
import { createSharedDatabase, sharedStorages, type SharedDatabase } from '../support/databases.js';
import { openStorage } from '../support/open-storage.js';
import { goodConfig } from './good-application.js';

const services: Service[] = [];
const serviceOn = (adapter: StorageAdapter, changes = {}) => {
  const service = createService({ ...goodConfig(), adapter, ...changes });
  services.push(service);
  return service;
};
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

/** An adapter whose database never answers. */
const hanging = (): StorageAdapter => ({
  ...memoryAdapter(),
  currentTime: () => new Promise<number>(() => undefined),
});

const redis = (call: () => Promise<unknown>) => ({
  status: 'ready',
  call,
  duplicate: () => ({ on: () => undefined, subscribe: async () => undefined, disconnect: () => undefined }),
});

const check = (ok: boolean) => ({ ok, ms: expect.any(Number) as number });

for (const storage of sharedStorages(['SQLite', 'PostgreSQL']))
  describe(`on ${storage}`, () => {
    let database: SharedDatabase;
    beforeAll(async () => (database = await createSharedDatabase(storage)));
    afterAll(() => database.drop());

    it('is healthy with its tables, and not without them', async () => {
      const service = serviceOn(openStorage(database.url));
      expect(await service.health()).toEqual({
        ok: true,
        checks: { storage: check(true), migrations: check(true) },
      });
      const [{ name } = {}] = await database.sql('select name from svc_migrations where id = 1');
      await database.sql('delete from svc_migrations where id = 1');
      expect(await service.health()).toMatchObject({
        ok: false,
        checks: { storage: check(true), migrations: check(false) },
      });
      await database.sql(`insert into svc_migrations (id, name) values (1, '${String(name)}')`);
    });
  });

it('is unhealthy, and does not reject, if the database refuses connections', async () => {
  const service = serviceOn(knexAdapter({ client: 'pg', connection: 'postgres://a:b@127.0.0.1:1/a' }));
  expect(await service.health()).toEqual({
    ok: false,
    checks: { storage: check(false), migrations: check(false) },
  });
});

it('is unhealthy after the timeout if the database does not answer', async () => {
  const service = serviceOn(hanging());
  const { ok, checks } = await service.health({ timeoutMs: 50 });
  expect([ok, checks.storage.ok]).toEqual([false, false]);
  expect(checks.storage.ms).toBeGreaterThanOrEqual(49);
});

it('asks Redis, which the database replaces if it fails', async () => {
  const up = serviceOn(memoryAdapter(), {
    rateLimit: { store: redisCounters(redis(async () => 'PONG') as never) },
  });
  expect((await up.health()).checks.redis).toEqual(check(true));
  const failing = redis(() => Promise.reject(new Error('down')));
  const down = serviceOn(memoryAdapter(), { rateLimit: { store: redisCounters(failing as never) } });
  expect(await down.health()).toMatchObject({ ok: true, checks: { redis: check(false) } });
});

it('is unhealthy if a store of limits fails that the database does not replace', async () => {
  const store = {
    hit: () => Promise.reject(new Error('down')),
    ping: () => Promise.reject(new Error('down')),
  };
  const service = serviceOn(memoryAdapter(), { rateLimit: { store } });
  expect(await service.health()).toMatchObject({ ok: false, checks: { redis: check(false) } });
});

it('shares one check between calls at the same time', async () => {
  let calls = 0;
  const adapter: StorageAdapter = {
    ...memoryAdapter(),
    currentTime: async () => {
      calls += 1;
      return Date.now();
    },
  };
  const service = serviceOn(adapter);
  await Promise.all(Array.from({ length: 100 }, () => service.health()));
  expect(calls).toBe(1);
  await service.health();
  expect(calls).toBe(2);
});

it('refuses an unknown option by name', async () => {
  const service = serviceOn(memoryAdapter());
  await expect(service.health({ timeout: 1 } as never)).rejects.toThrow(/timeout/);
  expect(() => healthRoute(service, { detail: true } as never)).toThrow(/detail/);
  expect(() => healthRoute(service, { timeoutMs: 0 })).toThrow(/timeoutMs/);
});

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('healthRoute() on %s', (_version, makeApp) => {
  const get = (adapter: StorageAdapter, options?: HealthRouteOptions) => {
    const app = makeApp();
    app.get('/health', healthRoute(serviceOn(adapter), options));
    return request(app).get('/health');
  };

  it('responds with 200 and no details to strangers', async () => {
    const response = await get(memoryAdapter());
    expect([response.status, response.body]).toEqual([200, { ok: true }]);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('responds with 503 if the service is unhealthy', async () => {
    const response = await get(hanging(), { timeoutMs: 20 });
    expect([response.status, response.body]).toEqual([503, { ok: false }]);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('responds with details if the option allows them to the request', async () => {
    const details: HealthRouteOptions['details'] = (req) => req.headers['x-monitor'] === 'yes';
    expect((await get(memoryAdapter(), { details })).body).toEqual({ ok: true });
    const known = await get(memoryAdapter(), { details }).set('x-monitor', 'yes');
    expect(known.body).toEqual({ ok: true, checks: { storage: check(true), migrations: check(true) } });
    expect((await get(hanging(), { details: true, timeoutMs: 20 })).body).toMatchObject({
      ok: false,
      checks: { storage: check(false) },
    });
  });
});
