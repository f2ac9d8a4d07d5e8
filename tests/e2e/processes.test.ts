/**
 * Several processes behind one database, over real HTTP: what is to happen once happens once, whoever asks where.
 * One winner per code, link and reset; never more than maxAttempts guesses
 * evaluated; never more than maxPerWindow sends. A lock inside one process passes none of these.
 */
import knex, { type Knex } from 'knex';
import { AppProcesses } from '../support/app-processes.js';
import type { Answer } from '../support/http-client.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { createDatabase, runSql, type TestDatabase } from '../support/postgres.js';

const secret = 'one secret for all processes, 32 bytes or more';
const password = 'correct horse battery';
const redirectUri = 'https://app.test/api/auth/google/callback';

let database: TestDatabase;
let oidc: OidcServer;
let processes: AppProcesses;
let sql: Knex;
let people = 0;

const someone = () => `person-${(people += 1)}@example.com`;
const post = (route: string, body: object) => ({ method: 'POST', path: `/api/auth${route}`, body });
const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** How often each status and code came: `200`, `401 code_invalid`, `302 /`. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, json, location } of answers) {
    const outcome = [status, json?.error ?? location].filter((each) => each !== undefined).join(' ');
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const withSession = (answers: readonly Answer[]) =>
  answers.filter(({ cookies }) => cookies.some(({ name, value }) => name === 'svc_session' && value !== ''));

const usersWith = async (email: string) => (await sql('svc_users').where({ email })).length;

/** Waits for mails, which travel from the process that sent them. */
async function mailed(email: string, kind: string, count = 1): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = processes.mailsTo(email).filter((mail) => mail.kind === kind);
    if (found.length >= count) return found.at(-1)!.text;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${email} got no ${kind}`);
}

async function codeFor(email: string): Promise<string> {
  const sent = processes.mailsTo(email).length;
  expect((await processes.post('/email-code/send', { email })).status).toBe(200);
  return /^\d{6}$/m.exec(await mailed(email, 'email_code', sent + 1))![0];
}

async function tokenFor(email: string, route: string, kind: string): Promise<string> {
  expect((await processes.post(route, { email })).status).toBe(200);
  return /(?<=token=)[\w.-]+/.exec(await mailed(email, kind))![0];
}

/**
 * Holds rows while the race starts: all requests arrive at them, none may pass, and then all may. However slow the
 * machine, they overlap where it matters.
 */
async function held<T>(table: string, where: Record<string, string>, race: () => Promise<T>): Promise<T> {
  const holding = await sql.transaction();
  try {
    const rows = (await holding(table).where(where).forUpdate()) as unknown[];
    expect(rows.length).toBeGreaterThan(0);
    const racing = race();
    // All that can be in line at once: every process lets a few through at a time.
    for (let tries = 0, before = -1, still = 0; tries < 100 && still < 10; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      const now = await waitingForLocks();
      still = now > 1 && now === before ? still + 1 : 0;
      before = now;
    }
    await holding.commit();
    return await racing;
  } finally {
    if (!holding.isCompleted()) await holding.rollback();
  }
}

async function waitingForLocks(): Promise<number> {
  const waiting = sql('pg_stat_activity').whereRaw('datname = current_database()');
  return (await waiting.where({ wait_event_type: 'Lock' })).length;
}

async function signUp(): Promise<{ email: string; id: string; cookie: string }> {
  const email = someone();
  const answer = await processes.post('/password/signup', { email, password });
  expect(answer.status).toBe(200);
  return { email, id: answer.json.user.id as string, cookie: answer.cookie() };
}

// Five, because five booting at once is what init() promises; the races use all of them.
beforeAll(async () => {
  [database, oidc, processes] = await Promise.all([
    createDatabase(),
    startOidcServer(redirectUri),
    AppProcesses.start(5),
  ]);
  sql = knex({ client: 'pg', connection: database.url, pool: { min: 0, max: 3 } });
}, 60_000);

afterAll(async () => {
  // Also when the start failed half-way: nothing is left running.
  await processes?.stop();
  await sql?.destroy();
  await oidc?.stop();
  await database?.drop();
});

it('five processes that boot at once on one empty database leave one schema and no error', async () => {
  await processes.boot({ databaseUrl: database.url, secret, google: oidc.client });
  for (let i = 0; i < 5; i += 1) expect((await processes.get('/session', undefined, i)).status).toBe(401);
  const schemas = await sql('information_schema.tables').where({ table_name: 'svc_users' });
  expect(schemas).toHaveLength(1);
});

it('a session of one process is a session of all, and ends for all at once (A-49)', async () => {
  const { cookie } = await signUp();
  for (let i = 0; i < 5; i += 1) expect((await processes.get('/session', cookie, i)).status).toBe(200);
  await processes.send({ method: 'POST', path: '/api/auth/logout', headers: { Cookie: cookie } }, 3);
  for (let i = 0; i < 5; i += 1) {
    expect((await processes.get('/session', cookie, i)).status).toBe(401);
    expect(
      (await processes.send({ method: 'GET', path: '/me', headers: { Cookie: cookie } }, i)).status,
    ).toBe(401);
  }
});

it('A-22: of parallel requests with the right code one signs in, and makes one user', async () => {
  const email = someone();
  const code = await codeFor(email);
  const answers = await held('svc_one_time_codes', { subject: email }, () =>
    processes.race(8, () => post('/email-code/verify', { email, code })),
  );
  expect(tally(answers)['200']).toBe(1);
  expect(withSession(answers)).toHaveLength(1);
  expect(answers.filter(({ status }) => ![200, 401, 429].includes(status))).toEqual([]);
  expect(await usersWith(email)).toBe(1);
});

it('A-22: of parallel requests with one link one signs in', async () => {
  const email = someone();
  const token = await tokenFor(email, '/magic-link/send', 'magic_link');
  const path = `/api/auth/magic-link/verify?token=${token}`;
  const answers = await held('svc_single_use_tokens', { subject: email }, () =>
    processes.race(8, () => ({ method: 'GET', path })),
  );
  expect(tally(answers)).toEqual({ '302 /': 1, '302 /?error=token_invalid': 39 });
  expect(withSession(answers)).toHaveLength(1);
  expect(await usersWith(email)).toBe(1);
});

it('A-39: of parallel resets with one token one sets its password, and only that one works', async () => {
  const { email, cookie, id } = await signUp();
  const token = await tokenFor(email, '/password/request-reset', 'password_reset');
  const newPassword = (i: number) => `the password of request ${i}`;
  const answers = await held('svc_single_use_tokens', { subject: id }, () =>
    processes.race(2, (i) => post('/password/reset', { token, newPassword: newPassword(i) })),
  );
  expect(tally(answers)).toEqual({ '200': 1, '401 token_invalid': 9 });
  const winner = answers.findIndex(({ status }) => status === 200);
  for (const [i] of answers.entries()) {
    // One try each: the limit on failed logins is ten.
    const login = await processes.post('/password/login', { email, password: newPassword(i) });
    expect([i, login.status]).toEqual([i, i === winner ? 200 : 401]);
  }
  expect((await processes.get('/session', cookie)).status).toBe(401);
});

it('of parallel signups with one address one gets the account, and only its password works', async () => {
  const email = someone();
  const passwordOf = (i: number) => `the password of request ${i}`;
  const answers = await processes.race(2, (i) =>
    post('/password/signup', { email, password: passwordOf(i) }),
  );
  expect(tally(answers)).toEqual({ '200': 1, '409 email_exists': 9 });
  expect(withSession(answers)).toHaveLength(1);
  expect(await usersWith(email)).toBe(1);
  const winner = answers.findIndex(({ status }) => status === 200);
  const right = await processes.post('/password/login', { email, password: passwordOf(winner) });
  const wrong = await processes.post('/password/login', { email, password: passwordOf((winner + 1) % 10) });
  expect([right.status, wrong.status]).toEqual([200, 401]);
});

it('different first sign-ins of one address at once make one user', async () => {
  const email = someone();
  const code = await codeFor(email);
  const token = await tokenFor(email, '/magic-link/send', 'magic_link');
  oidc.accounts.set(email, { email, email_verified: true });
  const started = await processes.get('/google/start');
  const callback = await oidc.signIn(started.location!, email);
  const answers = await Promise.all([
    processes.send(post('/email-code/verify', { email, code }), 0),
    processes.get(`/magic-link/verify?token=${token}`, undefined, 1),
    processes.get(`/google/callback${callback.search}`, started.cookie('svc_oauth'), 2),
    processes.send(post('/password/signup', { email, password }), 3),
  ]);
  expect(await usersWith(email)).toBe(1);
  expect(answers.every(({ status }) => status < 500)).toBe(true);
  // The mailbox was proven: whatever was set without proof before that is gone, or came too late.
  const [user] = (await sql('svc_users').where({ email })) as { email_verified: boolean }[];
  expect(user?.email_verified).toBe(true);
  for (const answer of withSession(answers.slice(0, 3))) {
    const session = await processes.get('/session', answer.cookie());
    expect([200, 401]).toContain(session.status);
  }
});

it('A-71: of parallel callbacks to one start one signs in, though the provider stands by each of their codes', async () => {
  const email = someone();
  oidc.accounts.set(email, { email, email_verified: true });
  const started = await processes.get('/google/start');
  const callbacks: URL[] = [];
  for (let i = 0; i < 5; i += 1) callbacks.push(await oidc.signIn(started.location!, email));
  const headers = { Cookie: started.cookie('svc_oauth') };
  const answers = await processes.race(2, (i) => {
    const { search } = callbacks[i % callbacks.length]!;
    return { method: 'GET', path: `/api/auth/google/callback${search}`, headers };
  });
  expect(tally(answers)).toEqual({ '302 /': 1, '302 /?error=oauth_error&reason=expired': 9 });
  expect(withSession(answers)).toHaveLength(1);
});

it('A-20: parallel sends to one address never exceed maxPerWindow', async () => {
  for (const [route, kind] of [
    ['/email-code/send', 'email_code'],
    ['/magic-link/send', 'magic_link'],
  ] as const) {
    const email = someone();
    // The first makes the counters that all others then wait for.
    expect((await processes.post(route, { email })).status).toBe(200);
    const answers = await held('svc_rate_limits', {}, () => processes.race(8, () => post(route, { email })));
    expect(tally(answers)).toEqual({ '200': 4, '429 rate_limit_exceeded': 36 });
    await mailed(email, kind, 5);
    expect(processes.mailsTo(email)).toHaveLength(5);
  }
});

it('A-20: nor do parallel requests for a reset, which all answer alike', async () => {
  const { email } = await signUp();
  const answers = await processes.race(4, () => post('/password/request-reset', { email }));
  expect(tally(answers)).toEqual({ '200': 20 });
  await mailed(email, 'password_reset', 5);
  // Give a sixth the time to arrive.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(processes.mailsTo(email)).toHaveLength(5);
});

it('A-26: of parallel wrong guesses never more than maxAttempts are evaluated, and then the right one is too late', async () => {
  const email = someone();
  const code = await codeFor(email);
  const guess = { email, code: wrongCode(code) };
  const answers = await held('svc_one_time_codes', { subject: email }, () =>
    processes.race(8, () => post('/email-code/verify', guess)),
  );
  expect(tally(answers)['401 code_invalid']).toBe(5);
  expect(answers.filter(({ status }) => ![401, 429].includes(status))).toEqual([]);
  // A process that has refused a guess repeats that for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const late = await processes.post('/email-code/verify', { email, code });
  expect([late.status, late.json.error]).toEqual([401, 'max_attempts_exceeded']);
});

it('A-26: the right code among parallel wrong ones wins at most once, within the same five', async () => {
  const email = someone();
  const code = await codeFor(email);
  const answers = await processes.race(8, (i) =>
    post('/email-code/verify', { email, code: i % 4 === 0 ? code : wrongCode(code) }),
  );
  const { '200': won = 0, '401 code_invalid': wrong = 0 } = tally(answers);
  expect(won).toBeLessThanOrEqual(1);
  expect(won + wrong).toBeLessThanOrEqual(5);
  expect(withSession(answers)).toHaveLength(won);
});

it('A-14: of parallel wrong passwords never more than ten are evaluated', async () => {
  const { email } = await signUp();
  const wrong = (i: number) => post('/password/login', { email, password: `wrong password ${i}` });
  expect((await processes.send(wrong(-1))).status).toBe(401);
  const answers = await held('svc_rate_limits', {}, () => processes.race(6, wrong));
  expect(tally(answers)).toEqual({ '401 invalid_credentials': 9, '429 rate_limit_exceeded': 21 });
});

it('C-5: a login with the old password that races a reset leaves no session behind', async () => {
  const { email } = await signUp();
  const token = await tokenFor(email, '/password/request-reset', 'password_reset');
  const [reset, ...logins] = await Promise.all([
    processes.send(post('/password/reset', { token, newPassword: 'a new password' }), 0),
    ...Array.from({ length: 8 }, (_, i) =>
      processes.send(post('/password/login', { email, password }), 1 + (i % 4)),
    ),
  ]);
  expect(reset.status).toBe(200);
  for (const login of withSession(logins)) {
    expect((await processes.get('/session', login.cookie())).status).toBe(401);
  }
});

it('a database that goes away is 500 internal_error on every process; when it is back, all work on without a restart', async () => {
  const { cookie } = await signUp();
  const name = new URL(database.url).pathname.slice(1);
  const elsewhere = new URL(database.url);
  elsewhere.pathname = '/postgres';
  await runSql(elsewhere.href, `alter database ${name} with allow_connections false`);
  try {
    const ended = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    await runSql(elsewhere.href, ended);
    for (let i = 0; i < 5; i += 1) {
      const answer = await processes.get('/session', cookie, i);
      expect([answer.status, answer.json]).toEqual([
        500,
        { error: 'internal_error', message: expect.any(String) as string },
      ]);
      expect(answer.text).not.toMatch(/database|postgres|svc_/);
    }
  } finally {
    await runSql(elsewhere.href, `alter database ${name} with allow_connections true`);
  }
  for (let i = 0; i < 5; i += 1) expect((await processes.get('/session', cookie, i)).status).toBe(200);
});
