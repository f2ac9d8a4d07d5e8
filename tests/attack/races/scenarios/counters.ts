/** Races for further limits: on codes requested within a session, per day, per client, and on a first password. */
import { codeAt, wrongCodeAt } from '../../../support/authenticator-app.js';
import { outcomeOf } from '../../../support/outcomes.js';
import { differentCode } from '../../../support/site-actions.js';
import {
  concurrentCalls,
  codeFor,
  createGuest,
  requestEmailChange,
  scenario,
  signUp,
  verifiedUser,
  winners,
  type World,
} from '../scenario.js';

const sends = 5;
const maxAttempts = 5;
const quarter = 15 * 60_000;
const many = 'rate_limit_exceeded';
const password = 'correct horse battery';
const codeRefusals = ['code_not_found', 'max_attempts_exceeded', many];

/** Makes `count` guesses and expects this outcome of each. */
async function fail(count: number, guess: (index: number) => Promise<unknown>, outcome: string) {
  const outcomes = await Promise.all(Array.from({ length: count }, (_, i) => outcomeOf(() => guess(i))));
  expect(outcomes).toEqual(Array(count).fill(outcome));
}

/** Codes that are requested within a session. Each call is made with a wrong code. */
const withinSession: Record<string, { method: string; prepare: (world: World) => Promise<object> }> = {
  'a guest upgrade': {
    method: 'emailCode.upgradeGuest',
    async prepare(world: World) {
      const [userId, email] = [await createGuest(world), world.person()];
      await world.service.emailCode.sendUpgradeCode({ userId, email });
      return { userId, email, code: differentCode(world.mail.lastCode(email)) };
    },
  },
  'a change of email address': {
    method: 'account.confirmEmailChange',
    async prepare(world: World) {
      const right = await requestEmailChange(world);
      return { ...right, code: differentCode(right.code) };
    },
  },
  'a change of email address, guessing the code of the old address': {
    method: 'account.confirmEmailChange',
    async prepare(world: World) {
      const right = await requestEmailChange(world);
      return { ...right, currentCode: differentCode(right.currentCode) };
    },
  },
  'a verification within a session': {
    method: 'account.verifyEmail',
    async prepare(world: World) {
      const { userId, email } = await signUp(world, password);
      await world.service.account.sendVerification(userId);
      return { userId, code: differentCode(world.mail.lastCode(email)) };
    },
  },
};

export const counters = [
  ...Object.entries(withinSession).map(([purpose, { method, prepare }]) =>
    scenario({
      name: `evaluates five wrong guesses at the code of ${purpose}`,
      refusals: ['code_invalid', ...codeRefusals],
      prepare,
      call: (guess) => ({ method, args: [guess] }),
      expect({ tally }) {
        expect(tally['code_invalid']).toBe(maxAttempts);
      },
    }),
  ),
  scenario({
    name: 'mails five codes to verify the address of an account',
    refusals: [many],
    prepare: (world) => signUp(world, password),
    call: ({ userId }) => ({ method: 'account.sendVerification', args: [userId] }),
    expect({ tally, mails }) {
      expect(tally).toEqual({ ok: sends, [many]: concurrentCalls - sends });
      expect(mails).toHaveLength(sends);
    },
  }),
  ...[
    {
      requesters: 'users',
      method: 'account.requestEmailChange',
      make: async (world: World) => (await verifiedUser(world)).id,
    },
    { requesters: 'guests', method: 'emailCode.sendUpgradeCode', make: createGuest },
  ].map(({ requesters, method, make }) =>
    scenario({
      name: `mails five codes to one address that several ${requesters} request`,
      refusals: [many],
      async prepare(world) {
        const ids: string[] = [];
        for (let i = 0; i < 10; i += 1) ids.push(await make(world));
        return { ids, email: world.person() };
      },
      call: ({ ids, email }, index) => ({ method, args: [{ userId: ids[index % ids.length], email }] }),
      expect({ tally, mails }, { email }) {
        expect(tally).toEqual({ ok: sends, [many]: concurrentCalls - sends });
        expect(mails.filter(({ to }) => to === email)).toHaveLength(sends);
      },
    }),
  ),
  scenario({
    name: 'evaluates fifty guesses a day at one address, over any number of codes and windows',
    refusals: ['code_invalid', ...codeRefusals],
    async prepare(world) {
      const { service, clock, person } = world;
      const email = person();
      const guess = async () => ({ email, code: differentCode(await codeFor(world, email)) });
      for (const wrong of [5, 5, 0, 5, 5, 0, 5, 5, 0, 5, 5, 0, 5, 2, 0]) {
        const input = await guess();
        await fail(wrong, () => service.emailCode.verify(input), 'code_invalid');
        if (wrong === 0) clock.advance(quarter);
      }
      return guess();
    },
    call: (guess) => ({ method: 'emailCode.verify', args: [guess] }),
    expect({ tally }) {
      expect(tally).toEqual({ code_invalid: 3, [many]: concurrentCalls - 3 });
    },
  }),
  scenario({
    name: 'evaluates two hundred guesses of one client at any addresses',
    refusals: ['code_invalid', many],
    async prepare(world) {
      const ip = '192.0.2.13';
      const guesses: { email: string; code: string }[] = [];
      while (guesses.length < 50) {
        const email = world.person();
        guesses.push({ email, code: differentCode(await codeFor(world, email)) });
      }
      for (const guess of guesses.splice(0, 38))
        await fail(maxAttempts, () => world.service.emailCode.verify(guess, { ip }), 'code_invalid');
      return { ip, guesses };
    },
    call: ({ ip, guesses }, index) => ({
      method: 'emailCode.verify',
      args: [guesses[index % guesses.length], { ip }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ code_invalid: 10, [many]: concurrentCalls - 10 });
    },
  }),
  scenario({
    name: 'evaluates fifty wrong authenticator codes a day, over any number of windows',
    refusals: ['max_attempts_exceeded'],
    async prepare(world) {
      const { service, clock } = world;
      const { userId } = await signUp(world, password);
      const { secret } = await service.totp.beginEnrollment(userId);
      await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
      const wrong = () => service.totp.verify(userId, wrongCodeAt(secret, clock.now()));
      for (let count = 0; count < 45; count += maxAttempts) {
        await fail(maxAttempts, wrong, 'ok');
        clock.advance(quarter);
      }
      await fail(2, wrong, 'ok');
      clock.advance(quarter);
      return { userId, code: wrongCodeAt(secret, clock.now()) };
    },
    call: ({ userId, code }) => ({ method: 'totp.verify', args: [userId, code], resultPath: '' }),
    expect({ tally }) {
      expect(tally).toEqual({ 'ok:false': 3, max_attempts_exceeded: concurrentCalls - 3 });
    },
  }),
  scenario({
    name: 'evaluates five wrong codes of an enrollment, then rejects the correct one',
    refusals: ['code_invalid', 'max_attempts_exceeded'],
    async prepare(world) {
      const { userId } = await signUp(world, password);
      return { userId, ...(await world.service.totp.beginEnrollment(userId)), now: world.clock.now() };
    },
    call: ({ userId, secret, now }) => ({
      method: 'totp.confirmEnrollment',
      args: [userId, wrongCodeAt(secret, now)],
    }),
    async expect({ tally }, { userId, secret, now }, { service }) {
      expect(tally).toEqual({
        code_invalid: maxAttempts,
        max_attempts_exceeded: concurrentCalls - maxAttempts,
      });
      await expect(service.totp.confirmEnrollment(userId, codeAt(secret, now))).rejects.toMatchObject({
        code: 'max_attempts_exceeded',
      });
    },
  }),
  scenario({
    name: 'sets a first password once, and keeps the one of the winner',
    refusals: ['email_exists', 'invalid_credentials', 'not_authorized'],
    async prepare(world) {
      const email = world.person();
      const input = { email, code: await codeFor(world, email) };
      const { user, session } = await world.service.emailCode.verify(input, { startSession: true });
      return { email, userId: user.id, sessionToken: session!.token };
    },
    call({ email, userId, sessionToken }, index) {
      const chosen = `${password} ${index}`;
      return index % 2 === 0
        ? { method: 'emailPassword.signup', args: [{ email, password: chosen }, { sessionToken }] }
        : {
            method: 'emailPassword.changePassword',
            args: [{ userId, newPassword: chosen }, { sessionToken }],
          };
    },
    lockedRows: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(result, { email, userId }, { service }) {
      expect(winners(result)).toBe(1);
      expect(result.events.filter((name) => name === 'password.added')).toHaveLength(1);
      const chosen = `${password} ${result.outcomes.indexOf('ok')}`;
      const { user } = await service.emailPassword.login({ email, password: chosen });
      expect(user.id).toBe(userId);
    },
  }),
];
