/** Processes whose clocks differ, on one database: the database clock decides. */
import { knexAdapter, type Service, type StorageAdapter } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { watchedService } from '../support/leak-hooks.js';
import { cheapHasher, testSecret, type LogEntry } from '../support/make-service.js';
import { license, minute } from '../support/make-pro-service.js';
import { runInSequence, outcomeOf } from '../support/outcomes.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';

let database: TestDatabase;
let storage: StorageAdapter;

beforeAll(async () => {
  database = await createMigratedDatabase();
  storage = knexAdapter({ client: 'pg', connection: database.url });
});

afterAll(async () => {
  await storage.close();
  await database.drop();
});

const mail = outbox();

/**
 * A service in a process whose clock is ahead by `ms`. It has no `clock` option, which would
 * override the time.
 */
async function serviceAhead(
  ms: number,
  overrides: { clock?: () => number; adapter?: StorageAdapter } = {},
): Promise<{ service: Service; log: LogEntry[] }> {
  const log: LogEntry[] = [];
  const level = (name: LogEntry['level']) => (fields: object, message: string) =>
    void log.push({ level: name, fields: fields as Record<string, unknown>, message });
  const real = Date.now;
  Date.now = () => real() + ms;
  try {
    const { service } = watchedService({
      adapter: { ...storage, close: async () => undefined },
      ...license,
      ...overrides,
      logger: { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') },
      session: { secret: testSecret },
      providers: {
        emailCode: { sender: mail },
        emailPassword: { sender: mail, hasher: cheapHasher() },
        sessions: true,
      },
    });
    // Its own clock remains ahead; that of the other service is right.
    Date.now = real;
    await service.init();
    return { service, log };
  } finally {
    Date.now = real;
  }
}

const skewOf = (log: LogEntry[]) => log.filter(({ fields }) => fields['event'] === 'clock_skew');

/**
 * Waits until the clock of a service is past the time at which a token was issued. Corrected clocks agree to a tenth of a second and
 * half of a round trip to the database, which is long on a busy machine.
 */
async function untilAfter(service: Service, token: string, userId: string): Promise<void> {
  while (timeOf(service.createSessionToken(userId).token) <= timeOf(token))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

const timeOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { ims: number }).ims;

describe.each([16 * minute, -16 * minute])('two processes whose clocks differ by %d ms', (ms) => {
  it('rejects a token without a session in both processes after all sessions of its user are revoked', async () => {
    const [skewed, right] = [await serviceAhead(ms), await serviceAhead(0)];
    const guest = await right.service.sessionsProvider.createGuest();
    const userId = guest.user.id;
    for (const [issuer, revoker] of [
      [skewed, right],
      [right, skewed],
    ] as const) {
      const { token } = issuer.service.createSessionToken(userId);
      await untilAfter(revoker.service, token, userId);
      expect(await outcomeOf(() => revoker.service.getSessionUser(token))).toBe('ok');
      await revoker.service.sessionsProvider.revokeAll(userId);
      for (const { service } of [issuer, revoker]) {
        expect(await outcomeOf(() => service.getSessionUser(token))).toBe('token_invalid');
      }
      await untilAfter(issuer.service, revoker.service.createSessionToken(userId).token, userId);
      const next = issuer.service.createSessionToken(userId);
      expect(await outcomeOf(() => revoker.service.getSessionUser(next.token))).toBe('ok');
    }
  });

  it('shares one rate limit between the processes', async () => {
    const [skewed, right] = [await serviceAhead(ms), await serviceAhead(0)];
    const email = `limits-${ms}@example.com`;
    const outcomes: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      for (const { service } of [skewed, right]) {
        outcomes.push(await outcomeOf(() => service.emailCode.sendCode({ email })));
      }
    }
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(5);
    const login = () => right.service.emailPassword.login({ email, password: 'a wrong password' });
    expect((await runInSequence(3, login)).every((outcome) => outcome === 'invalid_credentials')).toBe(true);
  });

  it('logs one warning with the skew of the process', async () => {
    const [skewed, right] = [await serviceAhead(ms), await serviceAhead(0)];
    expect(skewOf(right.log)).toEqual([]);
    const [warning, ...others] = skewOf(skewed.log);
    expect(others).toEqual([]);
    expect(warning?.level).toBe('warn');
    expect(Math.abs((warning?.fields['skewMs'] as number) - ms)).toBeLessThan(minute);
  });
});

it('does not compare a clock that the application has set with the database', async () => {
  let queries = 0;
  const currentTime = async () => (queries += 1);
  const { service, log } = await serviceAhead(0, {
    clock: () => Date.UTC(2031, 0),
    adapter: { ...storage, currentTime, close: async () => undefined },
  });
  const { expiresAt } = service.createSessionToken('user', { expiresInSec: 1 });
  expect(expiresAt).toEqual(new Date(Date.UTC(2031, 0) + 1000));
  expect([queries, skewOf(log)]).toEqual([0, []]);
});
