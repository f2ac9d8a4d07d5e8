/**
 * Several processes on one database, over real HTTP. Across all of them each code, link and reset succeeds once, at most
 * maxAttempts guesses are evaluated, and at most maxPerWindow messages are sent. A lock within one process passes none of
 * these tests.
 */
import knex, { type Knex } from 'knex';
import { AppProcesses } from '../support/app-processes.js';
import type { HttpResponse } from '../support/http-client.js';
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

const uniqueEmail = () => `person-${(people += 1)}@example.com`;
const post = (route: string, body: object) => ({ method: 'POST', path: `/api/auth${route}`, body });
const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

/** Counts the responses by status and code: `200`, `401 code_invalid`, `302 /`. */
function tally(responses: readonly HttpResponse[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, json, location } of responses) {
    const outcome = [status, json?.error ?? location].filter((each) => each !== undefined).join(' ');
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const withSession = (responses: readonly HttpResponse[]) =>
  responses.filter(({ cookies }) =>
    cookies.some(({ name, value }) => name === 'svc_session' && value !== ''),
  );

const usersWith = async (email: string) => (await sql('svc_users').where({ email })).length;

/** Waits for a mail from one of the processes and returns its text. */
async function mailed(email: string, kind: string, count = 1): Promise<string> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    const mails = processes.mailsTo(email).filter((mail) => mail.kind === kind);
    if (mails.length >= count) return mails.at(-1)!.text;
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
 * Locks rows while the race starts, until all requests wait for them, and then releases them. The requests overlap even on
 * a slow machine.
 */
async function withRowsLocked<T>(
  table: string,
  where: Record<string, string>,
  race: () => Promise<T>,
): Promise<T> {
  const lock = await sql.transaction();
  try {
    const rows = (await lock(table).where(where).forUpdate()) as unknown[];
    expect(rows.length).toBeGreaterThan(0);
    const racing = race();
    // Waits until no more requests arrive: each process runs only a few at a time.
    for (let tries = 0, before = -1, still = 0; tries < 100 && still < 10; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      const now = await waitingForLocks();
      still = now > 1 && now === before ? still + 1 : 0;
      before = now;
    }
    await lock.commit();
    return await racing;
  } finally {
    if (!lock.isCompleted()) await lock.rollback();
  }
}

async function waitingForLocks(): Promise<number> {
  const waiting = sql('pg_stat_activity').whereRaw('datname = current_database()');
  return (await waiting.where({ wait_event_type: 'Lock' })).length;
}

async function signUp(): Promise<{ email: string; id: string; cookie: string }> {
  const email = uniqueEmail();
  const response = await processes.post('/password/signup', { email, password });
  expect(response.status).toBe(200);
  return { email, id: response.json.user.id as string, cookie: response.cookie() };
}

// Five, because `init()` must support five processes that boot at the same time; the races use all of them.
beforeAll(async () => {
  [database, oidc, processes] = await Promise.all([
    createDatabase(),
    startOidcServer(redirectUri),
    AppProcesses.start(5),
  ]);
  sql = knex({ client: 'pg', connection: database.url, pool: { min: 0, max: 3 } });
});

afterAll(async () => {
  // Also if the start failed, so that nothing is left running.
  await processes?.stop();
  await sql?.destroy();
  await oidc?.stop();
  await database?.drop();
});

it('creates one schema without an error when five processes boot at the same time on an empty database', async () => {
  await processes.boot({ databaseUrl: database.url, secret, google: oidc.client });
  for (let i = 0; i < 5; i += 1) expect((await processes.get('/session', undefined, i)).status).toBe(401);
  const schemas = await sql('information_schema.tables').where({ table_name: 'svc_users' });
  expect(schemas).toHaveLength(1);
});

//
it('accepts the session of one process on all processes, and ends it on all of them immediately', async () => {
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

//
it('signs in one of many parallel requests with the right code and creates one user', async () => {
  const email = uniqueEmail();
  const code = await codeFor(email);
  const responses = await withRowsLocked('svc_one_time_codes', { subject: email }, () =>
    processes.race(8, () => post('/email-code/verify', { email, code })),
  );
  expect(tally(responses)['200']).toBe(1);
  expect(withSession(responses)).toHaveLength(1);
  expect(responses.filter(({ status }) => ![200, 401, 429].includes(status))).toEqual([]);
  expect(await usersWith(email)).toBe(1);
});

//
it('signs in one of many parallel requests with the same link', async () => {
  const email = uniqueEmail();
  const token = await tokenFor(email, '/magic-link/send', 'magic_link');
  const path = `/api/auth/magic-link/verify?token=${token}`;
  const responses = await withRowsLocked('svc_single_use_tokens', { subject: email }, () =>
    processes.race(8, () => ({ method: 'GET', path })),
  );
  expect(tally(responses)).toEqual({ '302 /': 1, '302 /?error=token_invalid': 39 });
  expect(withSession(responses)).toHaveLength(1);
  expect(await usersWith(email)).toBe(1);
});

//
it('sets the password of one of many parallel resets with the same token', async () => {
  const { email, cookie } = await signUp();
  const token = await tokenFor(email, '/password/request-reset', 'password_reset');
  const newPassword = (i: number) => `the password of request ${i}`;
  const responses = await withRowsLocked('svc_single_use_tokens', { subject: email }, () =>
    processes.race(2, (i) => post('/password/reset', { token, newPassword: newPassword(i) })),
  );
  expect(tally(responses)).toEqual({ '200': 1, '401 token_invalid': 9 });
  const winner = responses.findIndex(({ status }) => status === 200);
  for (const [i] of responses.entries()) {
    // One attempt each: the limit on failed logins is ten.
    const login = await processes.post('/password/login', { email, password: newPassword(i) });
    expect([i, login.status]).toEqual([i, i === winner ? 200 : 401]);
  }
  expect((await processes.get('/session', cookie)).status).toBe(401);
});

it('creates one account for parallel signups with one address, and only the password of the winner works', async () => {
  const email = uniqueEmail();
  const passwordOf = (i: number) => `the password of request ${i}`;
  const responses = await processes.race(2, (i) =>
    post('/password/signup', { email, password: passwordOf(i) }),
  );
  expect(tally(responses)).toEqual({ '200': 1, '409 email_exists': 9 });
  expect(withSession(responses)).toHaveLength(1);
  expect(await usersWith(email)).toBe(1);
  const winner = responses.findIndex(({ status }) => status === 200);
  const right = await processes.post('/password/login', { email, password: passwordOf(winner) });
  const wrong = await processes.post('/password/login', { email, password: passwordOf((winner + 1) % 10) });
  expect([right.status, wrong.status]).toEqual([200, 401]);
});

it('creates one user when an address signs in for the first time by several methods in parallel', async () => {
  const email = uniqueEmail();
  const code = await codeFor(email);
  const token = await tokenFor(email, '/magic-link/send', 'magic_link');
  oidc.accounts.set(email, { email, email_verified: true });
  const started = await processes.get('/google/start');
  const callback = await oidc.signIn(started.location!, email);
  const responses = await Promise.all([
    processes.send(post('/email-code/verify', { email, code }), 0),
    processes.get(`/magic-link/verify?token=${token}`, undefined, 1),
    processes.get(`/google/callback${callback.search}`, started.cookie('svc_oauth'), 2),
    processes.send(post('/password/signup', { email, password }), 3),
  ]);
  expect(await usersWith(email)).toBe(1);
  expect(responses.every(({ status }) => status < 500)).toBe(true);
  // The mailbox has been proven: anything set before without proof has been removed, or came too late.
  const [user] = (await sql('svc_users').where({ email })) as { email_verified: boolean }[];
  expect(user?.email_verified).toBe(true);
  for (const response of withSession(responses.slice(0, 3))) {
    const session = await processes.get('/session', response.cookie());
    expect([200, 401]).toContain(session.status);
  }
});

//
it('signs in one of many parallel callbacks of one start, even though the provider accepts each of their codes', async () => {
  const email = uniqueEmail();
  oidc.accounts.set(email, { email, email_verified: true });
  const started = await processes.get('/google/start');
  const callbacks: URL[] = [];
  for (let i = 0; i < 5; i += 1) callbacks.push(await oidc.signIn(started.location!, email));
  const headers = { Cookie: started.cookie('svc_oauth') };
  const responses = await processes.race(2, (i) => {
    const { search } = callbacks[i % callbacks.length]!;
    return { method: 'GET', path: `/api/auth/google/callback${search}`, headers };
  });
  expect(tally(responses)).toEqual({ '302 /': 1, '302 /?error=oauth_error&reason=expired': 9 });
  expect(withSession(responses)).toHaveLength(1);
});

//
it('parallel sends to one address never exceed maxPerWindow', async () => {
  for (const [route, kind] of [
    ['/email-code/send', 'email_code'],
    ['/magic-link/send', 'magic_link'],
  ] as const) {
    const email = uniqueEmail();
    // The first request creates the counters that all others then wait for.
    expect((await processes.post(route, { email })).status).toBe(200);
    const responses = await withRowsLocked('svc_rate_limits', {}, () =>
      processes.race(8, () => post(route, { email })),
    );
    expect(tally(responses)).toEqual({ '200': 4, '429 rate_limit_exceeded': 36 });
    await mailed(email, kind, 5);
    expect(processes.mailsTo(email)).toHaveLength(5);
  }
});

//
it('parallel requests for a reset never exceed maxPerWindow and all receive the same response', async () => {
  const { email } = await signUp();
  const responses = await processes.race(4, () => post('/password/request-reset', { email }));
  expect(tally(responses)).toEqual({ '200': 20 });
  await mailed(email, 'password_reset', 5);
  // Gives a sixth mail time to arrive.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(processes.mailsTo(email)).toHaveLength(5);
});

//
it('evaluates at most maxAttempts of many parallel wrong codes and then rejects the right one', async () => {
  const email = uniqueEmail();
  const code = await codeFor(email);
  const guess = { email, code: wrongCode(code) };
  const responses = await withRowsLocked('svc_one_time_codes', { subject: email }, () =>
    processes.race(8, () => post('/email-code/verify', guess)),
  );
  expect(tally(responses)['401 code_invalid']).toBe(5);
  expect(responses.filter(({ status }) => ![401, 429].includes(status))).toEqual([]);
  // A process that has refused a guess repeats the refusal for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const late = await processes.post('/email-code/verify', { email, code });
  expect([late.status, late.json.error]).toEqual([401, 'max_attempts_exceeded']);
});

//
it('accepts the right code among parallel wrong ones at most once, within the same five attempts', async () => {
  const email = uniqueEmail();
  const code = await codeFor(email);
  const responses = await processes.race(8, (i) =>
    post('/email-code/verify', { email, code: i % 4 === 0 ? code : wrongCode(code) }),
  );
  const { '200': won = 0, '401 code_invalid': wrong = 0 } = tally(responses);
  expect(won).toBeLessThanOrEqual(1);
  expect(won + wrong).toBeLessThanOrEqual(5);
  expect(withSession(responses)).toHaveLength(won);
});

//
it('evaluates at most ten of many parallel wrong passwords', async () => {
  const { email } = await signUp();
  const wrong = (i: number) => post('/password/login', { email, password: `wrong password ${i}` });
  expect((await processes.send(wrong(-1))).status).toBe(401);
  const responses = await withRowsLocked('svc_rate_limits', {}, () => processes.race(6, wrong));
  expect(tally(responses)).toEqual({ '401 invalid_credentials': 9, '429 rate_limit_exceeded': 21 });
});

// C-5
it('leaves no session of a login with the old password that races a reset', async () => {
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

it('returns 500 internal_error on every process while the database is unreachable, and recovers without a restart', async () => {
  const { cookie } = await signUp();
  const name = new URL(database.url).pathname.slice(1);
  const elsewhere = new URL(database.url);
  elsewhere.pathname = '/postgres';
  await runSql(elsewhere.href, `alter database ${name} with allow_connections false`);
  try {
    const ended = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    await runSql(elsewhere.href, ended);
    for (let i = 0; i < 5; i += 1) {
      const response = await processes.get('/session', cookie, i);
      expect([response.status, response.json]).toEqual([
        500,
        { error: 'internal_error', message: expect.any(String) as string },
      ]);
      expect(response.text).not.toMatch(/database|postgres|svc_/);
    }
  } finally {
    await runSql(elsewhere.href, `alter database ${name} with allow_connections true`);
  }
  for (let i = 0; i < 5; i += 1) expect((await processes.get('/session', cookie, i)).status).toBe(200);
});
