/** Races for private sign-ups and for the solutions of challenges. */
import { solveProofOfWork } from 'svc-auth/client';
import { errorOf } from '../../../support/outcomes.js';
import { differentCode } from '../../../support/site-actions.js';
import { concurrentCalls, oneWinner, scenario, winners, type World } from '../scenario.js';

const password = 'correct horse battery';
const ip = '203.0.113.7';
const isPrivate = { signUp: { revealExisting: false } };

/** Starts a sign-up and returns its token and code. */
async function start({ service, mail }: World, email: string) {
  const result = await service.emailPassword.startSignUp({ email, password });
  if (!('token' in result)) throw new Error('The sign-up is not private.');
  return { token: result.token, code: mail.lastCode(email)! };
}

const refusals = ['code_not_found', 'max_attempts_exceeded', 'rate_limit_exceeded'];

export const signUps = [
  scenario({
    name: 'creates one account with the code of a private sign-up, and signs in once',
    options: isPrivate,
    refusals,
    async prepare(world) {
      const email = world.person();
      return { email, ...(await start(world, email)) };
    },
    call: ({ token, code }) => ({
      method: 'emailPassword.finishSignUp',
      args: [{ token, code }, { startSession: true }],
      resultPath: 'user.id',
    }),
    async expect(result, { email }, { adapter, clock }) {
      expect(winners(result)).toBe(1);
      const user = await adapter.users.findByEmail(email);
      expect(result.values).toEqual([user?.id]);
      expect(await adapter.sessions.listLive(user!.id, new Date(clock.now()))).toHaveLength(1);
    },
  }),
  scenario({
    name: 'evaluates five wrong guesses at the code of a private sign-up',
    options: isPrivate,
    refusals: ['code_invalid', ...refusals],
    prepare: async (world) => start(world, world.person()),
    call: ({ token, code }) => ({
      method: 'emailPassword.finishSignUp',
      args: [{ token, code: differentCode(code) }],
    }),
    expect({ tally }) {
      expect(tally['code_invalid']).toBe(5);
    },
  }),
  scenario({
    name: 'creates one account for two browsers that sign up with one address, with one of their passwords',
    options: isPrivate,
    refusals,
    async prepare(world) {
      const email = world.person();
      return { email, pending: [await start(world, email), await start(world, email)] };
    },
    call: ({ pending }, index) => ({
      method: 'emailPassword.finishSignUp',
      args: [pending[index % 2]!],
      resultPath: 'user.id',
    }),
    async expect(result, { email }, { adapter, service }) {
      // One of them creates the account, and the other signs in to it.
      expect(winners(result)).toBe(2);
      const user = await adapter.users.findByEmail(email);
      expect(new Set(result.values)).toEqual(new Set([user?.id]));
      expect(result.events.filter((name) => name === 'user.created')).toHaveLength(1);
      expect((await service.emailPassword.login({ email, password })).user.id).toBe(user?.id);
    },
  }),
  scenario({
    name: 'sends five mails of private sign-ups to one address',
    options: isPrivate,
    refusals: ['rate_limit_exceeded'],
    prepare: async ({ person }) => person(),
    call: (email) => ({ method: 'emailPassword.startSignUp', args: [{ email, password }] }),
    expect({ tally, mails }) {
      expect(tally).toEqual({ ok: 5, rate_limit_exceeded: concurrentCalls - 5 });
      expect(mails).toHaveLength(5);
    },
  }),
  scenario({
    name: 'accepts the solution of a challenge once',
    options: { signUp: { challenge: { after: 0, cost: 1 } } },
    refusals: ['challenge_required'],
    async prepare({ service, person }) {
      const error = await errorOf(() => service.emailCode.sendCode({ email: person() }, { ip }));
      const challengeSolution = await solveProofOfWork(error['challenge'] as Record<string, unknown>);
      return { challengeSolution, addresses: Array.from({ length: concurrentCalls }, person) };
    },
    call: ({ challengeSolution, addresses }, index) => ({
      method: 'emailCode.sendCode',
      args: [{ email: addresses[index], challengeSolution }, { ip }],
    }),
    expect({ tally, mails }) {
      expect(tally).toEqual(oneWinner('challenge_required'));
      expect(mails).toHaveLength(1);
    },
  }),
];
