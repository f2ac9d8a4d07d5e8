/** Races for the second factor: authenticator codes, recovery codes, failures, and pending sign-ins. */
import { codeAt, wrongCodeAt } from '../../../support/authenticator-app.js';
import { concurrentCalls, scenario, signUp, winners, type World } from '../scenario.js';

const step = 30_000;
const password = 'correct horse battery';
const tooMany = ['max_attempts_exceeded'];

async function enroll(world: World) {
  const { totp } = world.service;
  const account = await signUp(world, password);
  const { secret } = await totp.beginEnrollment(account.userId);
  const now = world.clock.now();
  const { recoveryCodes } = await totp.confirmEnrollment(account.userId, codeAt(secret, now));
  return { ...account, secret, recoveryCodes, nextCode: codeAt(secret, now + step), now };
}

/** Enrolls a user and starts a sign-in up to the second factor. */
async function startMfaSignIn(world: World) {
  const person = await enroll(world);
  const { emailPassword } = world.service;
  const input = { email: person.email, password };
  const { pending } = await emailPassword.login(input, { startSession: true });
  return { ...person, token: pending!.token };
}

const startSession = { startSession: true };

export const secondFactor = [
  scenario({
    name: 'accepts an authenticator code once',
    refusals: tooMany,
    prepare: enroll,
    call: ({ userId, nextCode }) => ({ method: 'totp.verify', args: [userId, nextCode], resultPath: '' }),
    lockedRows: ({ userId }) => ({ table: 'svc_totp', where: ['user_id', userId] }),
    expect({ tally }) {
      expect(tally['ok:true']).toBe(1);
      expect(tally['ok:false']).toBeLessThanOrEqual(5);
    },
  }),
  scenario({
    name: 'evaluates five wrong authenticator and recovery codes in total',
    refusals: tooMany,
    prepare: enroll,
    call: ({ userId, secret, now }, index) =>
      index % 2 === 0
        ? { method: 'totp.verify', args: [userId, wrongCodeAt(secret, now)], resultPath: '' }
        : { method: 'totp.verifyRecoveryCode', args: [userId, 'no-such-code'], resultPath: '' },
    expect({ tally }) {
      expect(tally).toEqual({ 'ok:false': 5, max_attempts_exceeded: concurrentCalls - 5 });
    },
  }),
  scenario({
    name: 'accepts a recovery code once',
    refusals: tooMany,
    prepare: enroll,
    call: ({ userId, recoveryCodes: [code] }) => ({
      method: 'totp.verifyRecoveryCode',
      args: [userId, code],
      resultPath: '',
    }),
    lockedRows: ({ userId }) => ({ table: 'svc_recovery_codes', where: ['user_id', userId] }),
    async expect({ tally }, { userId }, { service }) {
      expect(tally['ok:true']).toBe(1);
      expect(await service.totp.countRecoveryCodes(userId)).toBe(9);
    },
  }),
  scenario({
    name: 'finishes a pending sign-in once with an authenticator code',
    refusals: ['token_invalid', 'code_invalid', ...tooMany],
    prepare: startMfaSignIn,
    call: ({ token, nextCode: code }) => ({
      method: 'totp.finishSignIn',
      args: [{ token, code }, startSession],
    }),
    async expect(result, { userId }, { service }) {
      expect(winners(result)).toBe(1);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'finishes a pending sign-in once, although every recovery code is valid',
    refusals: ['token_invalid', 'code_invalid', ...tooMany],
    prepare: startMfaSignIn,
    call: ({ token, recoveryCodes }, index) => ({
      method: 'totp.finishSignIn',
      args: [{ token, recoveryCode: recoveryCodes[index % recoveryCodes.length] }, startSession],
    }),
    async expect(result, { userId }, { service }) {
      expect(winners(result)).toBe(1);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'confirms an enrollment once, and keeps the recovery codes of the winner',
    refusals: ['code_not_found', 'code_invalid', ...tooMany],
    async prepare(world) {
      const { userId } = await signUp(world, password);
      const { secret } = await world.service.totp.beginEnrollment(userId);
      return { userId, code: codeAt(secret, world.clock.now()) };
    },
    call: ({ userId, code }) => ({
      method: 'totp.confirmEnrollment',
      args: [userId, code],
      resultPath: 'recoveryCodes',
    }),
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(result, { userId }, { service, adapter }) {
      expect(winners(result)).toBe(1);
      expect(await adapter.users.findById(userId)).toMatchObject({ epoch: 1, totpEnabled: true });
      expect(await service.totp.countRecoveryCodes(userId)).toBe(10);
      const [code] = result.values[0]!.split(',');
      expect(await service.totp.verifyRecoveryCode(userId, code!)).toBe(true);
    },
  }),
  scenario({
    name: 'keeps the recovery codes of one of several concurrent renewals',
    refusals: [],
    prepare: enroll,
    call: ({ userId }) => ({ method: 'totp.regenerateRecoveryCodes', args: [userId], resultPath: '' }),
    async expect({ values }, { userId }, { service }) {
      expect(await service.totp.countRecoveryCodes(userId)).toBe(10);
      expect(new Set(values).size).toBe(concurrentCalls);
    },
  }),
  scenario({
    name: 'disables a second factor once, and a concurrent code does not enable it again',
    refusals: tooMany,
    prepare: enroll,
    call: ({ userId, nextCode }, index) =>
      index % 2 === 0
        ? { method: 'totp.disable', args: [userId] }
        : { method: 'totp.verify', args: [userId, nextCode], resultPath: '' },
    async expect({ events }, { userId }, { service, adapter }) {
      expect(events.filter((name) => name === 'totp.disabled')).toHaveLength(1);
      expect(await service.totp.isEnabled(userId)).toBe(false);
      expect(await adapter.totp?.find(userId)).toBeNull();
      expect(await service.totp.countRecoveryCodes(userId)).toBe(0);
    },
  }),
  scenario({
    name: 'starts no session by password alone while the second factor is being enabled',
    refusals: ['token_invalid', 'code_not_found', 'code_invalid', 'rate_limit_exceeded', ...tooMany],
    async prepare(world) {
      const account = await signUp(world, password);
      const { secret } = await world.service.totp.beginEnrollment(account.userId);
      return { ...account, code: codeAt(secret, world.clock.now()) };
    },
    call: ({ email, userId, code }, index) =>
      index % 10 === 5
        ? { method: 'totp.confirmEnrollment', args: [userId, code] }
        : { method: 'emailPassword.login', args: [{ email, password }, startSession] },
    async expect(_seen, { userId }, { service }) {
      expect(await service.totp.isEnabled(userId)).toBe(true);
      expect(await service.sessionsProvider.listDevices(userId)).toEqual([]);
    },
  }),
];
