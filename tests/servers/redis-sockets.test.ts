/** Watched sessions whose changes are reported by Redis (skipped if it is not installed). */
import type { SessionEndReason } from 'svc-auth';
import { signUp, until } from '../support/cached-sessions.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';
import { describeWithRedis, startRedis, type RedisServer } from '../support/redis-server.js';
import { startShared, type SharedService } from '../support/shared-sessions.js';

describeWithRedis('service.watch() with redisSessionCache()', () => {
  let database: TestDatabase;
  let redis: RedisServer;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createMigratedDatabase(), startRedis()]);
  });

  afterAll(async () => {
    await redis.stop();
    await database.drop();
  });

  it('ends sessions that another process blocks or locks down', async () => {
    const at = { database: database.url, redis: redis.url };
    const services: SharedService[] = [await startShared(at), await startShared(at)];
    const [here, there] = services as [SharedService, SharedService];
    const reasons: SessionEndReason[][] = [[], []];
    const users = [await signUp(here, 'one@example.com'), await signUp(here, 'two@example.com')];
    for (const [index, { token }] of users.entries())
      await there.service.watch(token, (reason) => reasons[index]!.push(reason), { pollMs: 60_000 });
    await here.service.users.block(users[0]!.userId);
    await until('the end of the first session', () => reasons[0]!.length > 0);
    expect(reasons).toEqual([['user_blocked'], []]);
    await here.service.lockdown({});
    await until('the end of the second session', () => reasons[1]!.length > 0);
    expect(reasons).toEqual([['user_blocked'], ['epoch_passed']]);
    await Promise.all(services.map((service) => service.stop()));
  });
});
