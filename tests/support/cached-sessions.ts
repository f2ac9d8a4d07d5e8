/** Services with `session.cache` on one PostgreSQL, each with its own pool and listener, like processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import knexPackage, { type Knex } from 'knex';
import { knexAdapter } from 'svc-auth';
import type { KnexAdapterOptions, StorageAdapter } from 'svc-auth';
import { makeService, type Overrides, type TestService } from './make-service.js';

export interface CachedService extends TestService {
  knex: Knex;
  /** Returns whether a check accepts the token, and the number of statements it has sent for that. */
  check: (token: string) => Promise<{ accepted: boolean; statements: number }>;
  /** Waits until a check of the token sends no statement. */
  cached: (token: string) => Promise<void>;
  /**
   * Waits until a check of the token is refused, and returns after how many milliseconds the last
   * check began that accepted it; 0 if none did.
   */
  refused: (token: string) => Promise<number>;
  stop: () => Promise<void>;
}

export interface CachedOptions extends KnexAdapterOptions {
  /** Null: without a cache. */
  maxStaleMs?: number | null;
  /** Connections of the pool. */
  pool?: number;
  overrides?: Overrides;
}

/** Waits for at most two minutes until a condition is met. */
export async function until(what: string, isMet: () => Promise<boolean> | boolean): Promise<void> {
  for (const start = Date.now(); Date.now() - start < 120_000; await sleep(1)) if (await isMet()) return;
  throw new Error(`Not within two minutes: ${what}`);
}

/** Starts a service. Its statements are counted by the session check that they contain. */
export async function startCached(
  url: string,
  { maxStaleMs = 2_000, pool = 2, overrides = {}, ...options }: CachedOptions = {},
): Promise<CachedService> {
  const connection = { connectionString: url, query_timeout: 2_000, connectionTimeoutMillis: 2_000 };
  const knex = knexPackage({ client: 'pg', connection, pool: { min: 0, max: pool } });
  const adapter: StorageAdapter = knexAdapter(knex, options);
  let statements = 0;
  knex.on('query', ({ sql }: { sql: string }) => {
    if (sql.includes('svc_sessions s')) statements += 1;
  });
  const session = { ...overrides.session, ...(maxStaleMs !== null && { cache: { maxStaleMs } }) };
  const made = await makeService({ ...overrides, adapter, session });
  const check = async (token: string) => {
    const before = statements;
    const accepted = await made.service.getSessionUser(token).then(
      () => true,
      () => false,
    );
    return { accepted, statements: statements - before };
  };
  return {
    ...made,
    knex,
    check,
    cached: (token) =>
      until('a cached session', async () => {
        const { accepted, statements: sent } = await check(token);
        return accepted && sent === 0;
      }),
    async refused(token) {
      const start = performance.now();
      let lastMs = 0;
      await until('a refused session', async () => {
        const beganMs = performance.now() - start;
        const { accepted } = await check(token);
        if (accepted) lastMs = beganMs;
        return !accepted;
      });
      return lastMs;
    },
    async stop() {
      await made.service.close();
      await knex.destroy();
    },
  };
}

/** Signs up a user with a session. */
export async function signUp({ service }: Pick<TestService, 'service'>, email: string) {
  const input = { email, password: 'correct horse battery' };
  const { user, session } = await service.emailPassword.signup(input, { startSession: true });
  if (!session) throw new Error('No session was started.');
  return { userId: user.id, email, token: session.token, sessionId: session.session.id };
}
