// Challenges for clients that sign up or request mails often (docs/sign-up.md, Challenges).
import {
  type ChallengeRequiredError,
  type ChallengeProvider,
  type ChallengeRequest,
  type ServiceConfig,
} from 'svc-auth';
import { solveProofOfWork } from 'svc-auth/client';
import { describeAdapters } from '../support/describe-adapters.js';
import { errorOf, outcomeOf, tallyOf } from '../support/outcomes.js';

type Challenge = NonNullable<NonNullable<ServiceConfig['signUp']>['challenge']>;

const password = 'correct horse battery';

/** Of the current test: the counters of a client outlast a test. */
let ip: string;
let clients = 0;

beforeEach(() => {
  clients += 1;
  ip = `203.0.113.${clients}`;
});

describeAdapters('Challenges', ({ make, uniqueEmail }) => {
  const open = (challenge: Challenge = {}, signUp: object = {}) =>
    make({ signUp: { ...signUp, challenge: { after: 2, cost: 1, ...challenge } } });
  type Service = Awaited<ReturnType<typeof open>>['service'];

  const send = (service: Service, challengeSolution?: string, client = ip) =>
    service.emailCode.sendCode(
      { email: uniqueEmail(), ...(challengeSolution !== undefined && { challengeSolution }) },
      { ip: client },
    );

  /** Uses up the requests without a challenge, and returns the challenge of the next one. */
  async function challengeOf(service: Service): Promise<Readonly<Record<string, unknown>>> {
    for (let i = 0; i < 2; i += 1) await outcomeOf(() => send(service));
    return ((await errorOf(() => send(service))) as unknown as ChallengeRequiredError).challenge;
  }

  const solve = async (service: Service) => solveProofOfWork(await challengeOf(service));

  it('are not posed below the threshold, and are posed above it, per client', async () => {
    const { service, mail } = await open();
    const outcomes = [];
    for (let i = 0; i < 4; i += 1) outcomes.push(await outcomeOf(() => send(service)));
    expect(outcomes).toEqual(['ok', 'ok', 'challenge_required', 'challenge_required']);
    expect(mail.messages).toHaveLength(2);
    expect(await outcomeOf(() => send(service, undefined, '198.51.100.1'))).toBe('ok');
    // Another form of the same address is the same client.
    expect(await outcomeOf(() => send(service, undefined, `::ffff:${ip}`))).toBe('challenge_required');
  });

  it('count codes, links and sign-ups together, and not beyond the window', async () => {
    const { service, clock } = await open({ windowMs: 60_000 });
    await send(service);
    await service.magicLink.sendLink({ email: uniqueEmail() }, { ip });
    const signUp = () => service.emailPassword.signup({ email: uniqueEmail(), password }, { ip });
    expect(await outcomeOf(() => signUp())).toBe('challenge_required');
    clock.advance(61_000);
    expect(await outcomeOf(() => signUp())).toBe('ok');
  });

  it('are posed to as many of 50 parallel requests as the threshold says', async () => {
    const { service } = await open();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(() => send(service))));
    expect(tallyOf(outcomes)).toEqual({ ok: 2, challenge_required: 48 });
  });

  it('are posed to no caller without the address of a client, and to every client with after: 0', async () => {
    const { service } = await open({ after: 0 });
    expect(await outcomeOf(() => service.emailCode.sendCode({ email: uniqueEmail() }))).toBe('ok');
    expect(await outcomeOf(() => send(service))).toBe('challenge_required');
  });

  it('let a request with a solution pass once, however the solution is written', async () => {
    const { service } = await open();
    const solution = await solve(service);
    expect(await outcomeOf(() => send(service, solution))).toBe('ok');
    const spaced = Buffer.from(
      JSON.stringify(JSON.parse(Buffer.from(solution, 'base64').toString()), null, 1),
    ).toString('base64');
    for (const replay of [solution, spaced, `${solution}==`]) {
      const error = await errorOf(() => send(service, replay));
      expect(error).toMatchObject({ code: 'challenge_required', reason: 'challenge_invalid' });
    }
  });

  it('are solved once by 50 parallel requests with the same solution', async () => {
    const { service } = await open();
    const solution = await solve(service);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => outcomeOf(() => send(service, solution))),
    );
    expect(tallyOf(outcomes)).toEqual({ ok: 1, challenge_required: 49 });
  });

  it('refuse another solution of a challenge that is solved', async () => {
    const { service } = await open();
    const challenge = await challengeOf(service);
    const first = await solveProofOfWork(challenge);
    expect(await outcomeOf(() => send(service, first))).toBe('ok');
    const { solution } = JSON.parse(Buffer.from(first, 'base64').toString()) as { solution: object };
    const { parameters, signature } = challenge as { parameters: object; signature: string };
    const other = { challenge: { parameters, signature, extra: 1 }, solution: { ...solution, time: 7 } };
    const written = Buffer.from(JSON.stringify(other)).toString('base64');
    expect(await outcomeOf(() => send(service, written))).toBe('challenge_required');
  });

  it('refuse a solution for another purpose, an expired one, and one of another service', async () => {
    const { service, clock } = await open();
    const signUp = (challengeSolution: string) =>
      service.emailPassword.signup({ email: uniqueEmail(), password, challengeSolution }, { ip });
    expect(await outcomeOf(async () => signUp(await solve(service)))).toBe('challenge_required');
    const late = await solve(service);
    clock.advance(10 * 60_000);
    expect(await outcomeOf(() => send(service, late))).toBe('challenge_required');
    const foreign = await make({
      session: { secret: 'another secret of the tests, 32 bytes or more' },
      signUp: { challenge: { after: 0, cost: 1 } },
    });
    const { challenge } = (await errorOf(() => send(foreign.service))) as unknown as ChallengeRequiredError;
    expect(await outcomeOf(async () => send(service, await solveProofOfWork(challenge)))).toBe(
      'challenge_required',
    );
  });

  it('accept a solution that was posed before the secret was rotated', async () => {
    const old = 'the old secret of the tests, 32 bytes or more';
    const before = await make({ session: { secret: old }, signUp: { challenge: { after: 0, cost: 1 } } });
    const { challenge } = (await errorOf(() => send(before.service))) as unknown as ChallengeRequiredError;
    const after = await make({
      clock: before.clock,
      session: { previousSecrets: [old] },
      signUp: { challenge: { after: 0, cost: 1 } },
    });
    expect(await outcomeOf(async () => send(after.service, await solveProofOfWork(challenge)))).toBe('ok');
  });

  it('refuse a challenge that the client has changed, and malformed solutions', async () => {
    const { service } = await open();
    const challenge = (await challengeOf(service)) as { parameters: object; signature: string };
    const cheaper = { ...challenge, parameters: { ...challenge.parameters, keyPrefix: '0' } };
    const later = {
      ...challenge,
      parameters: { ...challenge.parameters, data: { purpose: 'send', expires: 9e15 } },
    };
    const malformed = ['', 'x', '{}', Buffer.from('{}').toString('base64'), 'e30='.repeat(1_000)];
    const forged = [await solveProofOfWork(cheaper), await solveProofOfWork(later)];
    for (const solution of [...malformed, ...forged])
      expect(await outcomeOf(() => send(service, solution))).toBe('challenge_required');
    expect(await outcomeOf(() => send(service, 'x'.repeat(20_000)))).toBe('invalid_request');
  });

  it('limit the solutions that a client may try', async () => {
    const { service } = await open();
    const outcomes = [];
    for (let i = 0; i < 102; i += 1) outcomes.push(await outcomeOf(() => send(service, 'x')));
    expect(tallyOf(outcomes)).toEqual({ challenge_required: 100, rate_limit_exceeded: 2 });
  });

  it('are the same for known and unknown addresses', async () => {
    const { service } = await open({ after: 0 });
    const known = uniqueEmail();
    await service.emailPassword.signup({ email: known, password });
    for (const email of [known, uniqueEmail()]) {
      for (const call of [
        () => service.emailCode.sendCode({ email }, { ip }),
        () => service.magicLink.sendLink({ email }, { ip }),
        () => service.emailPassword.signup({ email, password }, { ip }),
      ])
        expect(await outcomeOf(() => call())).toBe('challenge_required');
    }
  });

  it('are not consumed by a password that is too short', async () => {
    const { service } = await open({ after: 0 });
    const email = uniqueEmail();
    const signUp = (more: object) => service.emailPassword.signup({ email, password, ...more }, { ip });
    const { challenge } = (await errorOf(() => signUp({}))) as unknown as ChallengeRequiredError;
    const challengeSolution = await solveProofOfWork(challenge);
    expect(await outcomeOf(() => signUp({ challengeSolution, password: 'short' }))).toBe('weak_password');
    expect(await outcomeOf(() => signUp({ challengeSolution }))).toBe('ok');
  });

  describe('of a provider of the application', () => {
    const requests: ChallengeRequest[] = [];
    const captcha: ChallengeProvider = {
      create: (request) => {
        requests.push(request);
        return { type: 'captcha', siteKey: 'key' };
      },
      verify: async (token, { now }) =>
        token.startsWith('right') ? { id: token, expiresAt: new Date(now + 300_000) } : null,
    };
    const withProvider = (changes: object) => open({ after: 0, provider: { ...captcha, ...changes } });

    it('are sent to the client with their purpose, and solved once', async () => {
      const { service } = await withProvider({});
      const error = await errorOf(() => send(service));
      expect(error).toMatchObject({ challenge: { type: 'captcha', siteKey: 'key', purpose: 'send' } });
      expect(requests.at(-1)).toEqual({ purpose: 'send', ip, now: expect.any(Number) });
      expect(await outcomeOf(() => send(service, 'wrong'))).toBe('challenge_required');
      expect(await outcomeOf(() => send(service, 'right 1'))).toBe('ok');
      expect(await outcomeOf(() => send(service, 'right 1'))).toBe('challenge_required');
    });

    it.each([
      ['verify throws', { verify: () => Promise.reject(new Error('the captcha service is down')) }],
      ['verify returns true', { verify: () => true }],
      ['verify returns no time', { verify: () => ({ id: 'x' }) }],
    ])('refuse the request if %s', async (_name, changes) => {
      const { service, mail } = await withProvider(changes);
      expect(await outcomeOf(() => send(service, 'right'))).toBe('internal_error');
      expect(mail.messages).toEqual([]);
    });

    it.each([
      ['throws', { create: () => Promise.reject(new Error('the captcha service is down')) }],
      ['returns no object', { create: () => 'x' }],
    ])('refuse the request if create %s', async (_name, changes) => {
      const { service } = await withProvider(changes);
      expect(await outcomeOf(() => send(service))).toBe('internal_error');
    });

    it('refuse a solution that has expired', async () => {
      const { service } = await withProvider({
        verify: () => ({ id: 'x', expiresAt: new Date(Number.NaN) }),
      });
      expect(await outcomeOf(() => send(service, 'x'))).toBe('challenge_required');
    });
  });
});
