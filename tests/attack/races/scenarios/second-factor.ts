/** Races for the second factor: steps of an app, recovery codes, failures, and the sign-in that waits. */
import { codeAt, wrongCodeAt } from '../../../support/authenticator-app.js';
import { callsAtOnce, scenario, signedUp, winners, type World } from '../scenario.js';

const step = 30_000;
const password = 'correct horse battery';
const tooMany = ['max_attempts_exceeded'];

async function enrolled(world: World) {
  const { totp } = world.service;
  const account = await signedUp(world, password);
  const { secret } = await totp.beginEnrollment(account.userId);
  const now = world.clock.now();
  const { recoveryCodes } = await totp.confirmEnrollment(account.userId, codeAt(secret, now));
  return { ...account, secret, recoveryCodes, nextCode: codeAt(secret, now + step), now };
}

/** Somebody who has shown the password. */
async function waiting(world: World) {
  const person = await enrolled(world);
  const { emailPassword } = world.service;
  const input = { email: person.email, password };
  const { pending } = await emailPassword.login(input, { startSession: true });
  return { ...person, token: pending!.token };
}

const startSession = { startSession: true };

export const secondFactor = [
  scenario({
    name: 'a code of the app counts once',
    refusals: tooMany,
    prepare: enrolled,
    call: ({ userId, nextCode }) => ({ method: 'totp.verify', args: [userId, nextCode], tell: '' }),
    held: ({ userId }) => ({ table: 'svc_totp', where: ['user_id', userId] }),
    expect({ tally }) {
      expect(tally['ok:true']).toBe(1);
      expect(tally['ok:false']).toBeLessThanOrEqual(5);
    },
  }),
  scenario({
    name: 'five wrong codes of an app are evaluated, recovery codes included',
    refusals: tooMany,
    prepare: enrolled,
    call: ({ userId, secret, now }, index) =>
      index % 2 === 0
        ? { method: 'totp.verify', args: [userId, wrongCodeAt(secret, now)], tell: '' }
        : { method: 'totp.verifyRecoveryCode', args: [userId, 'no-such-code'], tell: '' },
    expect({ tally }) {
      expect(tally).toEqual({ 'ok:false': 5, max_attempts_exceeded: callsAtOnce - 5 });
    },
  }),
  scenario({
    name: 'a recovery code counts once',
    refusals: tooMany,
    prepare: enrolled,
    call: ({ userId, recoveryCodes: [code] }) => ({
      method: 'totp.verifyRecoveryCode',
      args: [userId, code],
      tell: '',
    }),
    held: ({ userId }) => ({ table: 'svc_recovery_codes', where: ['user_id', userId] }),
    async expect({ tally }, { userId }, { service }) {
      expect(tally['ok:true']).toBe(1);
      expect(await service.totp.countRecoveryCodes(userId)).toBe(9);
    },
  }),
  scenario({
    name: 'a sign-in that waits for a code of the app is finished once',
    refusals: ['token_invalid', 'code_invalid', ...tooMany],
    prepare: waiting,
    call: ({ token, nextCode: code }) => ({
      method: 'totp.finishSignIn',
      args: [{ token, code }, startSession],
    }),
    async expect(seen, { userId }, { service }) {
      expect(winners(seen)).toBe(1);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'a sign-in that waits is finished once, though every recovery code is right',
    refusals: ['token_invalid', 'code_invalid', ...tooMany],
    prepare: waiting,
    call: ({ token, recoveryCodes }, index) => ({
      method: 'totp.finishSignIn',
      args: [{ token, recoveryCode: recoveryCodes[index % recoveryCodes.length] }, startSession],
    }),
    async expect(seen, { userId }, { service }) {
      expect(winners(seen)).toBe(1);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    },
  }),
  scenario({
    name: 'an enrolment is confirmed once, and its recovery codes are those of the winner',
    refusals: ['code_not_found', 'code_invalid', ...tooMany],
    async prepare(world) {
      const { userId } = await signedUp(world, password);
      const { secret } = await world.service.totp.beginEnrollment(userId);
      return { userId, code: codeAt(secret, world.clock.now()) };
    },
    call: ({ userId, code }) => ({
      method: 'totp.confirmEnrollment',
      args: [userId, code],
      tell: 'recoveryCodes',
    }),
    held: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(seen, { userId }, { service, adapter }) {
      expect(winners(seen)).toBe(1);
      expect(await adapter.users.findById(userId)).toMatchObject({ epoch: 1, totpEnabled: true });
      expect(await service.totp.countRecoveryCodes(userId)).toBe(10);
      const [code] = seen.told[0]!.split(',');
      expect(await service.totp.verifyRecoveryCode(userId, code!)).toBe(true);
    },
  }),
  scenario({
    name: 'recovery codes that are made anew at once are those of one of them',
    refusals: [],
    prepare: enrolled,
    call: ({ userId }) => ({ method: 'totp.regenerateRecoveryCodes', args: [userId], tell: '' }),
    async expect({ told }, { userId }, { service }) {
      expect(await service.totp.countRecoveryCodes(userId)).toBe(10);
      expect(new Set(told).size).toBe(callsAtOnce);
    },
  }),
  scenario({
    name: 'a second factor is disabled once, and a code at the same time does not bring it back',
    refusals: tooMany,
    prepare: enrolled,
    call: ({ userId, nextCode }, index) =>
      index % 2 === 0
        ? { method: 'totp.disable', args: [userId] }
        : { method: 'totp.verify', args: [userId, nextCode], tell: '' },
    async expect({ events }, { userId }, { service, adapter }) {
      expect(events.filter((name) => name === 'totp.disabled')).toHaveLength(1);
      expect(await service.totp.isEnabled(userId)).toBe(false);
      expect(await adapter.totp?.find(userId)).toBeNull();
      expect(await service.totp.countRecoveryCodes(userId)).toBe(0);
    },
  }),
  scenario({
    name: 'a password that was shown starts no session beside the second factor that is enabled meanwhile',
    refusals: ['token_invalid', 'code_not_found', 'code_invalid', 'rate_limit_exceeded', ...tooMany],
    async prepare(world) {
      const account = await signedUp(world, password);
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
