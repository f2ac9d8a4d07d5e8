/** `readFrom` on a PostgreSQL with a real streaming replica (skipped if the programs of Debian's package are not installed). */
import { setTimeout as sleep } from 'node:timers/promises';
import { knexAdapter } from 'svc-auth';
import { internals } from '../../src/core/internals.js';
import { runSql } from '../support/postgres.js';
import { signUp, startCached, type CachedOptions, type CachedService } from '../support/cached-sessions.js';
import {
  describeWithReplica,
  startReplicated,
  type ReplicatedPostgres,
} from '../support/replicated-postgres.js';

const maxStaleMs = 800;

describeWithReplica('session checks that read a replica', () => {
  let postgres: ReplicatedPostgres;
  let people = 0;
  const started: CachedService[] = [];

  const email = () => `person-${(people += 1)}@example.com`;

  /** A service, whose statements on the primary are counted. */
  async function start(options: CachedOptions = {}): Promise<CachedService> {
    const readFrom = { connection: postgres.replica, maxStaleMs };
    const service = await startCached(postgres.primary, { maxStaleMs: null, readFrom, ...options });
    started.push(service);
    return service;
  }

  /** Waits until a check sends no statement to the primary. */
  const onReplica = (service: CachedService, token: string) => service.cached(token);

  beforeAll(async () => {
    postgres = await startReplicated();
  });

  afterEach(async () => {
    postgres.resumeReplica();
    await postgres.onReplica('select pg_wal_replay_resume()');
    await Promise.all(started.splice(0).map((service) => service.stop()));
  });

  afterAll(() => postgres.stop());

  it('send no statement to the primary, and routes that change something do', async () => {
    const one = await start();
    const { token } = await signUp(one, email());
    await onReplica(one, token);
    const { sessions } = one.service[internals];
    let lookups = 0;
    one.knex.on(
      'query',
      ({ sql }: { sql: string }) => void (lookups += Number(sql.includes('svc_sessions s'))),
    );
    await sessions.authenticate(token);
    expect(lookups).toBe(1);
  });

  it('see a change by the same process at once, however far behind the replica is', async () => {
    const one = await start();
    for (let round = 0; round < 10; round += 1) {
      const { token, userId } = await signUp(one, email());
      await onReplica(one, token);
      if (round % 2) await postgres.onReplica('select pg_wal_replay_pause()');
      if (round % 3) await one.service.users.signOut(userId);
      else await one.service[internals].sessions.endSession(token);
      for (let check = 0; check < 5; check += 1) expect((await one.check(token)).accepted).toBe(false);
      await postgres.onReplica('select pg_wal_replay_resume()');
    }
  });

  it('see a new session at once', async () => {
    const one = await start();
    await postgres.onReplica('select pg_wal_replay_pause()');
    for (let round = 0; round < 5; round += 1) {
      const { token } = await signUp(one, email());
      expect((await one.check(token)).accepted).toBe(true);
    }
  });

  it('see a change by another process within maxStaleMs, if the replica falls behind', async () => {
    const [writer, reader] = [await start(), await start()];
    let longestMs = 0;
    for (let round = 0; round < 5; round += 1) {
      const { token, userId } = await signUp(writer, email());
      await onReplica(reader, token);
      await postgres.onReplica('select pg_wal_replay_pause()');
      await writer.service.users.signOut(userId);
      const lastMs = await reader.refused(token);
      expect(lastMs).toBeLessThan(maxStaleMs);
      longestMs = Math.max(longestMs, lastMs);
      await postgres.onReplica('select pg_wal_replay_resume()');
    }
    // The replica was behind indeed.
    expect(longestMs).toBeGreaterThan(0);
  });

  it('see a change by another process soon, if the replica keeps up', async () => {
    const [writer, reader] = [await start(), await start()];
    const { token, userId } = await signUp(writer, email());
    await onReplica(reader, token);
    await writer.service.users.signOut(userId);
    expect(await reader.refused(token)).toBeLessThan(maxStaleMs);
  });

  it('ask the primary while the replica hangs, and read the replica again afterwards', async () => {
    const one = await start();
    const { token, userId } = await signUp(one, email());
    const other = await signUp(one, email());
    await onReplica(one, token);
    postgres.hangReplica();
    for (let check = 0; check < 10; check += 1) {
      expect((await one.check(token)).accepted).toBe(true);
      await sleep(100);
    }
    await one.service.users.signOut(userId);
    expect((await one.check(token)).accepted).toBe(false);
    postgres.resumeReplica();
    await onReplica(one, other.token);
  });

  it('ask the primary if another server was promoted, and the replica follows the old primary', async () => {
    const one = await start();
    const { token, userId } = await signUp(one, email());
    const promoted = await postgres.promoteAnother();
    // The old primary is ahead of the new one, although it has not all of its changes.
    await runSql(postgres.primary, `select pg_logical_emit_message(false, 'test', repeat('x', 10000000))`);
    const readFrom = { connection: postgres.replica, maxStaleMs };
    const open = async () => {
      const service = await startCached(promoted, { maxStaleMs: null, readFrom });
      started.push(service);
      return service;
    };
    const [writer, reader] = [await open(), await open()];
    await writer.service.users.signOut(userId);
    await sleep(maxStaleMs);
    for (let check = 0; check < 20; check += 1) {
      expect((await reader.check(token)).accepted).toBe(false);
      await sleep(50);
    }
  });

  it('ask the primary if the replica cannot be reached, or is not a replica', async () => {
    for (const connection of ['postgres://postgres@127.0.0.1:1/postgres', postgres.primary]) {
      const one = await start({ readFrom: { connection, maxStaleMs } });
      const { token } = await signUp(one, email());
      for (let check = 0; check < 20; check += 1) {
        expect(await one.check(token)).toEqual({ accepted: true, statements: 1 });
        await sleep(20);
      }
    }
  });
});

it.each([{}, { connection: 5 }, { connection: 'postgres://x', maxStaleMs: 1 }])(
  'throws config_invalid for readFrom: %j',
  (readFrom) => {
    expect(() => knexAdapter({ client: 'pg', connection: {} }, { readFrom: readFrom as never })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
  },
);
