/** An adapter that returns invalid times: what they belong to has ended. */
import { memoryAdapter, type StorageAdapter } from 'svc-auth';
import { makeService } from '../support/make-service.js';
import { license } from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';

const unreadable = new Date(Number.NaN);

/** The adapter, with the named times of every record invalid. */
function withoutTimes(adapter: StorageAdapter, names: readonly string[]): StorageAdapter {
  const blur = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(blur);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    const entries = Object.entries(value).map(([name, each]) => [
      name,
      names.includes(name) ? unreadable : blur(each),
    ]);
    return Object.fromEntries(entries) as unknown;
  };
  const blurred = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as ((...args: unknown[]) => Promise<unknown>) | undefined;
        return method && (async (...args: unknown[]) => blur(await method.apply(target, args)));
      },
    });
  return {
    ...adapter,
    users: blurred(adapter.users),
    sessions: blurred(adapter.sessions),
    ...(adapter.apiKeys && { apiKeys: blurred(adapter.apiKeys) }),
    ...(adapter.refreshFamilies && { refreshFamilies: blurred(adapter.refreshFamilies) }),
  };
}

it.each([
  ['expiresAt', 'session', 'access token', 'API key'],
  ['revokedAt', 'session', 'access token', 'API key'],
  ['sessionsValidAfter', 'token without a session'],
])('an unreadable %s ends everything that it belongs to: %s', async (time, ...ended) => {
  const adapter = memoryAdapter();
  const providers = { sessions: true, refresh: true, apiKeys: true } as const;
  const { service, clock } = await makeService({ adapter, ...license, providers });
  const reader = (await makeService({ adapter: withoutTimes(adapter, [time]), clock, ...license, providers }))
    .service;
  const { user, token } = await service.sessionsProvider.createGuest();
  const userId = user.id;
  const member = await service.sessionsProvider.upgrade({
    userId,
    provider: 'idp',
    providerAccountId: userId,
  });
  expect(token).toBeDefined();
  const session = await service.sessionsProvider.create({ userId: member.user.id });
  const pair = await service.refresh.issue({ userId });
  const { key } = await service.apiKeys.create({
    userId,
    name: 'a key',
    expiresAt: new Date(clock.now() + 60_000),
  });
  clock.advance(1);
  const stateless = service.createSessionToken(userId);
  const checks: Record<string, (on: typeof service) => Promise<unknown>> = {
    session: (on) => on.getSessionUser(session.token),
    'access token': (on) => on.getSessionUser(pair.accessToken),
    'API key': (on) => on.apiKeys.verify(key),
    'token without a session': (on) => on.getSessionUser(stateless.token),
  };
  for (const [name, check] of Object.entries(checks)) {
    expect([name, await outcomeOf(() => check(service))]).toEqual([name, 'ok']);
    const isOk = (await outcomeOf(() => check(reader))) === 'ok';
    expect([name, isOk]).toEqual([name, !ended.includes(name)]);
  }
});
