/** Races for the counters behind the first ones: tries of codes that are asked for from within, days, clients, and a first password. */
import { codeAt, wrongCodeAt } from '../../../support/authenticator-app.js';
import { outcomeOf } from '../../../support/outcomes.js';
import { otherThan } from '../../../support/people.js';
import {
  callsAtOnce,
  codeFor,
  guest,
  moving,
  scenario,
  signedUp,
  verifiedUser,
  winners,
  type World,
} from '../scenario.js';

const sends = 5;
const tries = 5;
const quarter = 15 * 60_000;
const many = 'rate_limit_exceeded';
const password = 'correct horse battery';
const noCode = ['code_not_found', 'max_attempts_exceeded', many];

/** So many wrong guesses, none of which is refused. */
async function fail(count: number, guess: (index: number) => Promise<unknown>, answer: string) {
  const outcomes = await Promise.all(Array.from({ length: count }, (_, i) => outcomeOf(() => guess(i))));
  expect(outcomes).toEqual(Array(count).fill(answer));
}

/** A code that was asked for from within an account. Each is called with a code that is wrong. */
const fromWithin: Record<string, { method: string; prepare: (world: World) => Promise<object> }> = {
  'a guest’s upgrade': {
    method: 'emailCode.upgradeGuest',
    async prepare(world: World) {
      const [userId, email] = [await guest(world), world.person()];
      await world.service.emailCode.sendUpgradeCode({ userId, email });
      return { userId, email, code: otherThan(world.mail.lastCode(email)) };
    },
  },
  'a change of address': {
    method: 'account.confirmEmailChange',
    async prepare(world: World) {
      const right = await moving(world);
      return { ...right, code: otherThan(right.code) };
    },
  },
  'a change of address, guessed at the old one,': {
    method: 'account.confirmEmailChange',
    async prepare(world: World) {
      const right = await moving(world);
      return { ...right, currentCode: otherThan(right.currentCode) };
    },
  },
  'a proof from within': {
    method: 'account.verifyEmail',
    async prepare(world: World) {
      const { userId, email } = await signedUp(world, password);
      await world.service.account.sendVerification(userId);
      return { userId, email, code: otherThan(world.mail.lastCode(email)) };
    },
  },
};

export const counters = [
  ...Object.entries(fromWithin).map(([of, { method, prepare }]) =>
    scenario({
      name: `wrong guesses of the code of ${of} are evaluated five times at most`,
      refusals: ['code_invalid', ...noCode],
      prepare,
      call: (guess) => ({ method, args: [guess] }),
      expect({ tally }) {
        expect(tally['code_invalid']).toBe(tries);
      },
    }),
  ),
  scenario({
    name: 'an account is mailed five codes to prove its address with',
    refusals: [many],
    prepare: (world) => signedUp(world, password),
    call: ({ userId }) => ({ method: 'account.sendVerification', args: [userId] }),
    expect({ tally, mails }) {
      expect(tally).toEqual({ ok: sends, [many]: callsAtOnce - sends });
      expect(mails).toHaveLength(sends);
    },
  }),
  ...[
    {
      of: 'users who want it',
      method: 'account.requestEmailChange',
      make: async (world: World) => (await verifiedUser(world)).id,
    },
    { of: 'guests who want it', method: 'emailCode.sendUpgradeCode', make: guest },
  ].map(({ of, method, make }) =>
    scenario({
      name: `an address is mailed five codes of ${of}, however many they are`,
      refusals: [many],
      async prepare(world) {
        const ids: string[] = [];
        for (let i = 0; i < 10; i += 1) ids.push(await make(world));
        return { ids, email: world.person() };
      },
      call: ({ ids, email }, index) => ({ method, args: [{ userId: ids[index % ids.length], email }] }),
      expect({ tally, mails }, { email }) {
        expect(tally).toEqual({ ok: sends, [many]: callsAtOnce - sends });
        expect(mails.filter(({ to }) => to === email)).toHaveLength(sends);
      },
    }),
  ),
  scenario({
    name: 'guesses at one address are evaluated fifty times a day, however many codes and quarters of an hour they take',
    refusals: ['code_invalid', ...noCode],
    async prepare(world) {
      const { service, clock, person } = world;
      const email = person();
      const guess = async () => ({ email, code: otherThan(await codeFor(world, email)) });
      for (const wrong of [5, 5, 0, 5, 5, 0, 5, 5, 0, 5, 5, 0, 5, 2, 0]) {
        const input = await guess();
        await fail(wrong, () => service.emailCode.verify(input), 'code_invalid');
        if (wrong === 0) clock.advance(quarter);
      }
      return guess();
    },
    call: (guess) => ({ method: 'emailCode.verify', args: [guess] }),
    expect({ tally }) {
      expect(tally).toEqual({ code_invalid: 3, [many]: callsAtOnce - 3 });
    },
  }),
  scenario({
    name: 'guesses of one client are evaluated two hundred times, at whatever addresses',
    refusals: ['code_invalid', many],
    async prepare(world) {
      const ip = '192.0.2.13';
      const guesses: { email: string; code: string }[] = [];
      while (guesses.length < 50) {
        const email = world.person();
        guesses.push({ email, code: otherThan(await codeFor(world, email)) });
      }
      for (const guess of guesses.splice(0, 38))
        await fail(tries, () => world.service.emailCode.verify(guess, { ip }), 'code_invalid');
      return { ip, guesses };
    },
    call: ({ ip, guesses }, index) => ({
      method: 'emailCode.verify',
      args: [guesses[index % guesses.length], { ip }],
    }),
    expect({ tally }) {
      expect(tally).toEqual({ code_invalid: 10, [many]: callsAtOnce - 10 });
    },
  }),
  scenario({
    name: 'wrong codes of an app are evaluated fifty times a day, however many quarters of an hour they take',
    refusals: ['max_attempts_exceeded'],
    async prepare(world) {
      const { service, clock } = world;
      const { userId } = await signedUp(world, password);
      const { secret } = await service.totp.beginEnrollment(userId);
      await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
      const wrong = () => service.totp.verify(userId, wrongCodeAt(secret, clock.now()));
      for (let made = 0; made < 45; made += tries) {
        await fail(tries, wrong, 'ok');
        clock.advance(quarter);
      }
      await fail(2, wrong, 'ok');
      clock.advance(quarter);
      return { userId, code: wrongCodeAt(secret, clock.now()) };
    },
    call: ({ userId, code }) => ({ method: 'totp.verify', args: [userId, code], tell: '' }),
    expect({ tally }) {
      expect(tally).toEqual({ 'ok:false': 3, max_attempts_exceeded: callsAtOnce - 3 });
    },
  }),
  scenario({
    name: 'five wrong codes of an enrolment are evaluated, and then the right one is too late',
    refusals: ['code_invalid', 'max_attempts_exceeded'],
    async prepare(world) {
      const { userId } = await signedUp(world, password);
      return { userId, ...(await world.service.totp.beginEnrollment(userId)), now: world.clock.now() };
    },
    call: ({ userId, secret, now }) => ({
      method: 'totp.confirmEnrollment',
      args: [userId, wrongCodeAt(secret, now)],
    }),
    async expect({ tally }, { userId, secret, now }, { service }) {
      expect(tally).toEqual({ code_invalid: tries, max_attempts_exceeded: callsAtOnce - tries });
      await expect(service.totp.confirmEnrollment(userId, codeAt(secret, now))).rejects.toMatchObject({
        code: 'max_attempts_exceeded',
      });
    },
  }),
  scenario({
    name: 'a user who has no password chooses a first one once, and that one counts',
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
    held: ({ userId }) => ({ table: 'svc_users', where: ['id', userId] }),
    async expect(seen, { email, userId }, { service }) {
      expect(winners(seen)).toBe(1);
      expect(seen.events.filter((name) => name === 'password.added')).toHaveLength(1);
      const chosen = `${password} ${seen.outcomes.indexOf('ok')}`;
      const { user } = await service.emailPassword.login({ email, password: chosen });
      expect(user.id).toBe(userId);
    },
  }),
];
