// Limits and single use of the second factor and of text messages under several processes, where no event loop helps.
import { knexAdapter, type Service } from 'svc-auth';
import { smsOutbox } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { watchedService } from '../support/leak-hooks.js';
import { cheapHasher, testSecret } from '../support/make-service.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { ServiceProcesses } from '../support/service-processes.js';
import { license } from '../support/make-pro-service.js';
import { tallyOf } from '../support/outcomes.js';

const step = 30_000;
// One moment for all processes, far from the edge of a step.
const now = Math.ceil(Date.now() / step) * step + 10_000;
const calls = 16;

let database: TestDatabase;
let service: Service;
let processes: ServiceProcesses;
const texts = smsOutbox();

beforeAll(async () => {
  database = await createDatabase();
  ({ service } = watchedService({
    adapter: knexAdapter({ client: 'pg', connection: database.url }),
    session: { secret: testSecret },
    clock: () => now,
    ...license,
    encryptionKey,
    providers: {
      totp: true,
      phoneOtp: { sender: texts, allowCountry: () => true },
      sessions: true,
      emailPassword: { sender: { send: async () => undefined }, hasher: cheapHasher() },
    },
  }));
  await service.init();
  processes = await ServiceProcesses.start(4);
}, 60_000);

afterAll(async () => {
  await processes.stop();
  await service.close();
  await database.drop();
});

/** How often each outcome came, of calls with these arguments; what a call answered follows it. */
async function race(method: string, args: unknown[], tell?: string): Promise<Record<string, number>> {
  const order = { url: database.url, secret: testSecret, encryptionKey, ...license, now };
  const { outcomes } = await processes.run(
    order,
    Array.from({ length: 4 * calls }, () => ({ method, args, tell })),
  );
  return tallyOf(outcomes);
}

let people = 0;
const password = 'correct horse battery';

async function enrolled() {
  const email = `person-${(people += 1)}@example.com`;
  const { user } = await service.emailPassword.signup({ email, password });
  const { secret } = await service.totp.beginEnrollment(user.id);
  const { recoveryCodes } = await service.totp.confirmEnrollment(user.id, codeAt(secret, now));
  return { userId: user.id, email, secret, recoveryCodes };
}

describe('Four processes on one database', () => {
  // A race that is lost once in ten times is still lost: each is run several times.
  const rounds = Array.from({ length: 5 });

  it('A-95 accept a code of the app once', async () => {
    for (const _ of rounds) {
      const { userId, secret } = await enrolled();
      const tally = await race('totp.verify', [userId, codeAt(secret, now + step)], '');
      expect(tally['ok:true']).toBe(1);
      expect(tally['ok:false'] ?? 0).toBeLessThanOrEqual(5);
      expect(Object.values(tally).reduce((sum, count) => sum + count)).toBe(4 * calls);
    }
  });

  it('A-96 accept a recovery code once', async () => {
    for (const _ of rounds) {
      const { userId, recoveryCodes } = await enrolled();
      const tally = await race('totp.verifyRecoveryCode', [userId, recoveryCodes[0]!], '');
      expect(tally['ok:true']).toBe(1);
    }
  });

  it('A-95 evaluate five wrong codes together', async () => {
    for (const _ of rounds) {
      const { userId, secret } = await enrolled();
      const tally = await race('totp.verify', [userId, wrongCodeAt(secret, now)], '');
      expect(tally).toEqual({ 'ok:false': 5, max_attempts_exceeded: 4 * calls - 5 });
    }
  });

  it('A-16 finish a sign-in that waits once', async () => {
    for (const _ of rounds) {
      const { userId, email, secret } = await enrolled();
      const { pending } = await service.emailPassword.login({ email, password }, { startSession: true });
      const input = { token: pending!.token, code: codeAt(secret, now + step) };
      const tally = await race('totp.finishSignIn', [input, { startSession: true }]);
      expect(tally['ok']).toBe(1);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    }
  });

  it('A-20 text a number five times together', async () => {
    for (const [i] of rounds.entries()) {
      const tally = await race('phoneOtp.sendCode', [{ phone: `+1415555267${i}` }]);
      expect(tally).toEqual({ ok: 5, rate_limit_exceeded: 4 * calls - 5 });
    }
  });

  it('A-22 accept a texted code once, and make one user', async () => {
    for (const [i] of rounds.entries()) {
      const phone = `+1415555268${i}`;
      await service.phoneOtp.sendCode({ phone });
      const { code_not_found: refused, ...users } = await race(
        'phoneOtp.verify',
        [{ phone, code: texts.lastCode(phone)! }],
        'user.id',
      );
      expect([Object.values(users), refused]).toEqual([[1], 4 * calls - 1]);
    }
  });
});
