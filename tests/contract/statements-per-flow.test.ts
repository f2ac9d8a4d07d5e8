/**
 * The statements of each sign-in on PostgreSQL, so that their number cannot grow unnoticed. All of them are prepared, and none
 * reads a whole table (docs/performance.md).
 */
import { randomUUID } from 'node:crypto';
import type { RateLimitStore, Service } from 'svc-auth';
import { makeService, type Overrides, type TestService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';
import { connectionPerTest } from '../support/single-connection.js';

const on = connectionPerTest();
const password = 'correct horse battery staple';
const context = { ip: '192.0.2.1', startSession: true };

let people = 0;
const newEmail = () => `person-${(people += 1)}@example.com`;

const make = (overrides: Overrides = {}) => makeService({ adapter: on.storage, ...overrides });

/** Returns the names of the statements that `call` sends, without their digests; `not prepared` for one that has no name. */
async function statementsOf(call: () => Promise<unknown>): Promise<string[]> {
  on.sent.length = 0;
  await call();
  return on.sent.map(({ options }) => options?.name?.replace(/_[0-9a-f]{12}_\d+$/, '') ?? 'not prepared');
}

async function codeFor({ service, mail }: TestService, email: string) {
  await service.emailCode.sendCode({ email }, context);
  return { email, code: mail.lastCode(email) ?? '' };
}

async function signedUp({ service }: TestService): Promise<string> {
  const email = newEmail();
  await service.emailPassword.signup({ email, password }, context);
  return email;
}

/** A user whose mailbox is proven, by address. */
async function verified(test: TestService): Promise<string> {
  const email = newEmail();
  await test.service.emailCode.verify(await codeFor(test, email), context);
  return email;
}

const charged = 'svc_rate_limit_hit';
const chargedAndFound = 'svc_rate_limit_hit_user';
const corrected = 'svc_rate_limit_correct';
/** Whether the guesses of a day are used up, which decides what the next code looks like. */
const guessesLeft = [charged, corrected];
const found = 'svc_user_by_email';
const byName = 'not prepared';
const started = 'svc_session_start';
const correctedAndStarted = 'svc_rate_limit_correct_start';
const startedWithUser = 'svc_session_start_user';

describe('statements per sign-in', () => {
  it('a login takes 2: the limits with the user, their refund and reset with the session', async () => {
    const test = await make();
    const email = await signedUp(test);
    const login = () => test.service.emailPassword.login({ email, password }, context);
    expect(await statementsOf(login)).toEqual([chargedAndFound, correctedAndStarted]);
  });

  it('a login without a session takes 2: the limits with the user, their refund with the reset', async () => {
    const test = await make();
    const email = await signedUp(test);
    const { ip } = context;
    const login = () => test.service.emailPassword.login({ email, password }, { ip });
    expect(await statementsOf(login)).toEqual([chargedAndFound, corrected]);
  });

  it('a failed login takes 1, for known and unknown addresses', async () => {
    const test = await make();
    for (const email of [await signedUp(test), await verified(test), newEmail()]) {
      const login = () => test.service.emailPassword.login({ email, password: 'wrong' }, context);
      expect(await statementsOf(() => errorOf(login))).toEqual([chargedAndFound]);
    }
  });

  it('a failed login by user name takes 2, for known and unknown names and without a password', async () => {
    const { service } = await make({ usernames: { enabled: true } });
    await service.users.create({ username: 'known', password });
    await service.users.create({ username: 'passwordless' });
    for (const username of ['known', 'passwordless', 'unknown', 'not a name']) {
      const login = () => service.emailPassword.login({ username, password: 'wrong' }, context);
      expect(await statementsOf(() => errorOf(login))).toEqual([byName, charged]);
    }
  });

  it('a sign-up takes 2: the limits with the owner of the address, the user with the session', async () => {
    const { service } = await make();
    const signUp = () => service.emailPassword.signup({ email: newEmail(), password }, context);
    expect(await statementsOf(signUp)).toEqual([chargedAndFound, startedWithUser]);
    const signUpOnly = () => service.emailPassword.signup({ email: newEmail(), password });
    expect(await statementsOf(signUpOnly)).toEqual([chargedAndFound, 'svc_user_insert']);
  });

  it('a sign-up with a limit of sessions or with a session that is not remembered takes no more', async () => {
    const { service } = await make({ session: { maxPerUser: 1, unrememberedTtlMs: 60_000 } });
    const input = { email: newEmail(), password };
    const signUp = () => service.emailPassword.signup(input, { ...context, remember: false });
    expect(await statementsOf(signUp)).toEqual([chargedAndFound, startedWithUser]);
  });

  it('a sign-up with a bearer session takes 3: the limits, the user, the refresh family', async () => {
    const { service } = await make({ session: { bearer: true } });
    const input = { email: newEmail(), password };
    const signUp = () => service.emailPassword.signup(input, { ...context, bearer: true });
    expect(await statementsOf(signUp)).toEqual([chargedAndFound, 'svc_user_insert', 'svc_family_start']);
  });

  it.each(['known', 'unknown'])(
    'a private sign-up with an %s address takes 5, and its code 3',
    async (kind) => {
      const test = await make({ signUp: { revealExisting: false } });
      const email = kind === 'known' ? await verified(test) : newEmail();
      let token = '';
      const start = async () => {
        const result = await test.service.emailPassword.startSignUp({ email, password }, context);
        token = 'token' in result ? result.token : '';
      };
      expect(await statementsOf(start)).toEqual([
        charged,
        chargedAndFound,
        ...guessesLeft,
        'svc_code_replace',
      ]);
      const code = test.mail.lastCode(email) ?? '';
      const finish = () => test.service.emailPassword.finishSignUp({ token, code }, context);
      const last = kind === 'known' ? started : startedWithUser;
      expect(await statementsOf(finish)).toEqual([chargedAndFound, 'svc_code_attempt', last]);
    },
  );

  it('limits that are disabled take no statement', async () => {
    const test = await make({ rateLimit: { login: false, signUp: false } });
    const email = await signedUp(test);
    const login = () => test.service.emailPassword.login({ email, password }, context);
    expect(await statementsOf(login)).toEqual([chargedAndFound, started]);
  });

  it.each(['known', 'unknown'])('a code to an %s address takes 4, and a link 2', async (kind) => {
    const test = await make();
    const email = kind === 'known' ? await verified(test) : newEmail();
    const expected = [chargedAndFound, ...guessesLeft, 'svc_code_replace'];
    expect(await statementsOf(() => codeFor(test, email))).toEqual(expected);
    const sendLink = () => test.service.magicLink.sendLink({ email }, context);
    expect(await statementsOf(sendLink)).toEqual([chargedAndFound, 'svc_token_insert']);
  });

  it('the right code of a new user takes 3, which also refund and reset the limits', async () => {
    const test = await make();
    const input = await codeFor(test, newEmail());
    const verify = () => test.service.emailCode.verify(input, context);
    const expected = [chargedAndFound, 'svc_code_attempt', startedWithUser];
    expect(await statementsOf(verify)).toEqual(expected);
  });

  it('the right code of a verified user takes 3', async () => {
    const test = await make();
    const input = await codeFor(test, await verified(test));
    const verify = () => test.service.emailCode.verify(input, context);
    expect(await statementsOf(verify)).toEqual([chargedAndFound, 'svc_code_attempt', started]);
  });

  it('a wrong code takes 2, for known and unknown addresses', async () => {
    const test = await make();
    for (const email of [await verified(test), newEmail()]) {
      const { code } = await codeFor(test, email);
      const wrong = { email, code: code === '000000' ? '111111' : '000000' };
      const verify = () => errorOf(() => test.service.emailCode.verify(wrong, context));
      expect(await statementsOf(verify)).toEqual([chargedAndFound, 'svc_code_attempt']);
    }
  });

  it('the link of a verified user takes 5', async () => {
    const test = await make();
    const { url } = await test.service.magicLink.sendLink({ email: await verified(test) });
    const token = new URL(url).searchParams.get('token') ?? '';
    const verify = () => test.service.magicLink.verify(token, context);
    expect(await statementsOf(verify)).toEqual([found, 'svc_token_consume', found, corrected, started]);
  });

  it.each(['verified', 'new'])('the code that was mailed with a link to a %s user takes 3', async (kind) => {
    const test = await make({ providers: { magicLink: { withCode: true } } });
    const email = kind === 'verified' ? await verified(test) : newEmail();
    await test.service.magicLink.sendLink({ email }, context);
    const code = test.mail.lastCode(email) ?? '';
    const verify = () => test.service.magicLink.verifyCode({ email, code }, context);
    const last = kind === 'verified' ? started : startedWithUser;
    expect(await statementsOf(verify)).toEqual([chargedAndFound, 'svc_code_attempt_with_link', last]);
  });

  it('with counters in a store, a login takes 2 statements and the right code of a new user 3', async () => {
    const test = await make({ rateLimit: { store: unlimitedStore } });
    const email = await signedUp(test);
    const login = () => test.service.emailPassword.login({ email, password }, context);
    expect(await statementsOf(login)).toEqual([found, started]);
    const input = await codeFor(test, newEmail());
    const verify = () => test.service.emailCode.verify(input, context);
    expect(await statementsOf(verify)).toEqual([found, 'svc_code_attempt', startedWithUser]);
  });

  it.each(['never analyzed', 'analyzed with few rows'])(
    'PostgreSQL keeps a plan of each statement that reads no whole table, also if the tables were %s',
    async (state) => {
      const test = await make({
        session: { bearer: true },
        providers: { magicLink: { withCode: true } },
      });
      const signIn = () => signInEveryWay(test.service, test);
      if (state !== 'never analyzed') {
        for (let i = 0; i < 3; i += 1) {
          await signIn();
          await test.service.magicLink.sendLink({ email: newEmail() });
        }
        await on.knex.raw('analyze');
      }
      // A statement is planned for its values five times; then its plan is kept.
      for (let i = 0; i < 7; i += 1) await signIn();
      const { rows } = await on.knex.raw<{ rows: { name: string; parameters: number; kept: boolean }[] }>(
        `select name, coalesce(array_length(parameter_types, 1), 0) as parameters, generic_plans > 0 as kept
         from pg_prepared_statements where name like 'svc%'`,
      );
      await on.knex.raw('set plan_cache_mode = force_generic_plan');
      expect(rows.length).toBeGreaterThanOrEqual(11);
      for (const { name, parameters, kept } of rows) {
        const nulls = Array.from({ length: parameters }, () => 'null').join(', ');
        const { rows: plan } = await on.knex.raw<{ rows: Record<string, string>[] }>(
          `explain execute ${name} (${nulls})`,
        );
        const text = plan.map((row) => row['QUERY PLAN']).join('\n');
        expect({ name, kept, text }).toEqual({
          name,
          kept: true,
          // The table of lockdowns has one row.
          text: expect.not.stringMatching(/Seq Scan on (?!svc_lockdown)/) as string,
        });
      }
    },
  );
});

async function signInEveryWay(service: Service, test: TestService): Promise<void> {
  const email = await signedUp(test);
  await service.emailCode.verify(await codeFor(test, email), context);
  await service.emailCode.verify(await codeFor(test, email), context);
  const { url } = await service.magicLink.sendLink({ email }, context);
  await service.magicLink.verify(new URL(url).searchParams.get('token') ?? '', context);
  await service.magicLink.sendLink({ email }, context);
  await service.magicLink.verifyCode({ email, code: test.mail.lastCode(email) ?? '' }, context);
  const other = await signedUp(test);
  await service.emailPassword.login({ email: other, password }, context);
  const { user } = await service.emailPassword.login(
    { email: other, password },
    { ...context, bearer: true },
  );
  const google = { provider: 'google', providerAccountId: other };
  const identity = { id: randomUUID(), userId: user.id, createdAt: new Date(), ...google };
  await on.storage.identities.link(identity, 0);
  await on.storage.identities.findUser(google.provider, google.providerAccountId);
}

const unlimitedStore: RateLimitStore = {
  hit: async (_key, windowMs, now) => ({ count: 1, resetAt: now + windowMs }),
};
