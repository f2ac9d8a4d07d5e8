// Limits and single use of the second factor and of text messages under several processes, where no
// event loop orders the calls.
import { knexAdapter, type Service } from 'svc-auth';
import { smsOutbox } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { watchedService } from '../support/leak-hooks.js';
import { cheapHasher, testSecret } from '../support/make-service.js';
import { createMigratedDatabase, type TestDatabase } from '../support/postgres.js';
import { ServiceProcesses } from '../support/service-processes.js';
import { license } from '../support/make-pro-service.js';
import { tallyOf } from '../support/outcomes.js';

const step = 30_000;
// One moment for all processes, far from the edge of a time step.
const now = Math.ceil(Date.now() / step) * step + 10_000;
const calls = 16;

let database: TestDatabase;
let service: Service;
let processes: ServiceProcesses;
const texts = smsOutbox();

beforeAll(async () => {
  database = await createMigratedDatabase();
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
});

afterAll(async () => {
  await processes.stop();
  await service.close();
  await database.drop();
});

/**
 * Counts the outcomes of concurrent calls with these arguments; `resultPath` names the field of the
 * result to append.
 */
async function race(method: string, args: unknown[], resultPath?: string): Promise<Record<string, number>> {
  const order = { url: database.url, secret: testSecret, encryptionKey, ...license, now };
  const { outcomes } = await processes.run(
    order,
    Array.from({ length: 4 * calls }, () => ({ method, args, resultPath })),
  );
  return tallyOf(outcomes);
}

let people = 0;
const password = 'correct horse battery';

async function enrolledUser() {
  const email = `person-${(people += 1)}@example.com`;
  const { user } = await service.emailPassword.signup({ email, password });
  const { secret } = await service.totp.beginEnrollment(user.id);
  const { recoveryCodes } = await service.totp.confirmEnrollment(user.id, codeAt(secret, now));
  return { userId: user.id, email, secret, recoveryCodes };
}

describe('four processes on one database', () => {
  // Each race is run several times, as a rare failure is a failure, too.
  const rounds = Array.from({ length: 5 });

  //
  it('accepts a TOTP code once', async () => {
    for (const _ of rounds) {
      const { userId, secret } = await enrolledUser();
      const tally = await race('totp.verify', [userId, codeAt(secret, now + step)], '');
      expect(tally['ok:true']).toBe(1);
      expect(tally['ok:false'] ?? 0).toBeLessThanOrEqual(5);
      expect(Object.values(tally).reduce((sum, count) => sum + count)).toBe(4 * calls);
    }
  });

  //
  it('accepts a recovery code once', async () => {
    for (const _ of rounds) {
      const { userId, recoveryCodes } = await enrolledUser();
      const tally = await race('totp.verifyRecoveryCode', [userId, recoveryCodes[0]!], '');
      expect(tally['ok:true']).toBe(1);
    }
  });

  //
  it('evaluates five wrong codes in total', async () => {
    for (const _ of rounds) {
      const { userId, secret } = await enrolledUser();
      const tally = await race('totp.verify', [userId, wrongCodeAt(secret, now)], '');
      expect(tally).toEqual({ 'ok:false': 5, max_attempts_exceeded: 4 * calls - 5 });
    }
  });

  //
  it('completes a pending sign-in once', async () => {
    for (const _ of rounds) {
      const { userId, email, secret } = await enrolledUser();
      const { pending } = await service.emailPassword.login({ email, password }, { startSession: true });
      const input = { token: pending!.token, code: codeAt(secret, now + step) };
      const tally = await race('totp.finishSignIn', [input, { startSession: true }]);
      expect(tally['ok']).toBe(1);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    }
  });

  //
  it('sends five messages to a number in total', async () => {
    for (const [i] of rounds.entries()) {
      const tally = await race('phoneOtp.sendCode', [{ phone: `+1415555267${i}` }]);
      expect(tally).toEqual({ ok: 5, rate_limit_exceeded: 4 * calls - 5 });
    }
  });

  //
  it('accepts a code of a text message once, and creates one user', async () => {
    for (const [i] of rounds.entries()) {
      const phone = `+1415555268${i}`;
      await service.phoneOtp.sendCode({ phone });
      const tally = await race('phoneOtp.verify', [{ phone, code: texts.lastCode(phone)! }], 'user.id');
      const isSuccess = ([outcome]: [string, number]) => outcome.startsWith('ok:');
      const users = Object.entries(tally).filter(isSuccess);
      expect(users.map(([, count]) => count)).toEqual([1]);
      // Eight attempts can be reserved before the first one consumes the code, and five are allowed.
      const { code_not_found: late = 0, max_attempts_exceeded: beyond = 0 } = tally;
      expect(late + beyond).toBe(4 * calls - 1);
    }
  });
});
