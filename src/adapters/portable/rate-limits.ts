/** `svc_rate_limits`: row, mapping, queries. Counters are locked in the order of their keys. */
import type { FastPaths } from '../../storage/fast-paths.js';
import type {
  CounterCorrection,
  RateLimitHit,
  RateLimitRepository,
  RateLimitResult,
} from '../../storage/rate-limit-repository.js';
import { retryAtOf } from '../shared/counting-rules.js';
import { asKey } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { counters, type CounterFields } from './records.js';
import { startSession } from './sessions.js';
import type { Bindings } from './statements.js';
import { columnsOf, readerOf } from './tables.js';
import { readUserByEmail } from './users.js';

const findCounters = `
  select ${columnsOf(counters, 'c')} from svc_rate_limits c where c.counter_key in (:keys*) order by c.counter_key`;
const lockCounters = `${findCounters} {lock}`;

const toCounter = readerOf(counters, 'c');

interface Counter {
  count: number;
  resetAt: number;
}

type Counters = Map<string, Counter>;

/** Ends the transaction of hits that are refused, so that nothing is written. */
class Refusal extends Error {
  constructor(readonly results: RateLimitResult[]) {
    super();
  }
}

async function read(on: Queryable, statement: string, keys: readonly string[]): Promise<Counters> {
  const rows = await on.query(statement, { keys }, toCounter);
  return new Map(
    rows.map(({ counterKey, hits, resetAt }) => [counterKey, { count: hits, resetAt: resetAt.getTime() }]),
  );
}

/** Inserts counters, or writes the columns of those that exist. */
async function merge(on: Queryable, rows: readonly CounterFields[], columns: string): Promise<void> {
  const bindings: Record<string, Bindings[string]> = {};
  const values = rows.map(({ counterKey, hits, resetAt }, i) => {
    Object.assign(bindings, { [`key${i}`]: counterKey, [`hits${i}`]: hits, [`end${i}`]: resetAt });
    return `(:key${i}, :hits${i}, :end${i})`;
  });
  await on.execute(
    `insert into svc_rate_limits (counter_key, hits, reset_at) values ${values.join(', ')} {merge counter_key; ${columns}}`,
    bindings,
  );
}

const toRow = ([counterKey, { count, resetAt }]: [string, Counter]): CounterFields => ({
  counterKey,
  hits: count,
  resetAt: new Date(resetAt),
});

interface Decision {
  isRefused: boolean;
  results: RateLimitResult[];
  raised: Counters;
  /** Counters whose window ends later than it may, because a clock that ran ahead started it. */
  shortened: Counters;
}

/** Applies the hits to the counters. */
function decide(hits: readonly RateLimitHit[], current: Counters, now: number): Decision {
  const shortened: Counters = new Map();
  for (const { key, windowMs, growingWait } of hits) {
    const counter = current.get(key);
    if (counter && !growingWait && counter.resetAt > now + windowMs)
      shortened.set(key, { ...counter, resetAt: now + windowMs });
  }
  const counterOf = ({ key }: RateLimitHit) => shortened.get(key) ?? current.get(key);
  const retries = hits.map((hit) => {
    const counter = counterOf(hit);
    return counter && retryAtOf(counter, hit, now);
  });
  const isRefused = retries.some((retryAt) => retryAt !== undefined);
  const raised: Counters = new Map();
  if (!isRefused) {
    for (const hit of hits) {
      const counter = counterOf(hit);
      const end = now + hit.windowMs;
      const isOver = !counter || counter.resetAt <= now;
      const resetAt = isOver || hit.growingWait ? end : counter.resetAt;
      raised.set(hit.key, { count: isOver ? 1 : counter.count + 1, resetAt });
    }
  }
  const results = hits.map((hit, i) => {
    const { count, resetAt } = raised.get(hit.key) ?? counterOf(hit) ?? { count: 0, resetAt: now };
    const retryAt = retries[i];
    return { count, resetAt, ...(retryAt !== undefined && { retryAt }) };
  });
  return { isRefused, results, raised, shortened };
}

async function hitAll(
  db: Database,
  given: readonly RateLimitHit[],
  now: number,
): Promise<{ results: RateLimitResult[]; isRefused: boolean }> {
  const hits = given.map((hit) => ({ ...hit, key: asKey(hit.key) }));
  if (hits.length === 0) return { results: [], isRefused: false };
  const keys = [...new Set(hits.map(({ key }) => key))].sort();
  // A flood of refused hits takes no lock and writes nothing.
  const early = decide(hits, await read(db, findCounters, keys), now);
  if (early.isRefused && early.shortened.size === 0) return early;
  try {
    return await db.transaction(async (transaction) => {
      const none = keys.map((key) => toRow([key, { count: 0, resetAt: now }]));
      // Locks the counters that exist, and those that do not.
      await merge(transaction, none, 'counter_key');
      const late = decide(hits, await read(transaction, lockCounters, keys), now);
      if (late.isRefused && late.shortened.size === 0) throw new Refusal(late.results);
      const changed = late.isRefused ? late.shortened : late.raised;
      await merge(transaction, [...changed].map(toRow), 'hits, reset_at');
      return late;
    });
  } catch (error) {
    if (error instanceof Refusal) return { results: error.results, isRefused: true };
    throw error;
  }
}

/** Corrects counters in the transaction of the caller. */
export async function correctCounters(
  transaction: Queryable,
  correction: CounterCorrection,
  now: number,
): Promise<void> {
  const [refund, reset] = [correction.refund.map(asKey), correction.reset.map(asKey)];
  const keys = [...new Set([...refund, ...reset])].sort();
  if (keys.length === 0) return;
  const current = await read(transaction, lockCounters, keys);
  const corrected = [...current].flatMap(([key, counter]): [string, Counter][] => {
    const isRefunded = refund.includes(key) && counter.resetAt > now;
    const count = reset.includes(key) ? 0 : Math.max(counter.count - (isRefunded ? 1 : 0), 0);
    return count === counter.count ? [] : [[key, { ...counter, count }]];
  });
  if (corrected.length > 0) await merge(transaction, corrected.map(toRow), 'hits');
}

export function rateLimitQueries(
  db: Database,
): RateLimitRepository & Pick<FastPaths, 'hitAndFindUser' | 'correctAndStart'> {
  return {
    hit: async (hits, now) => (await hitAll(db, hits, now)).results,
    async hitAndFindUser(hits, email, now) {
      const { results, isRefused } = await hitAll(db, hits, now);
      const user = await readUserByEmail(db, email);
      return { results, user: isRefused ? null : user };
    },
    correct: (correction, now) =>
      db.transaction((transaction) => correctCounters(transaction, correction, now)),
    correctAndStart: (correction, start, now) =>
      db.transaction(async (transaction) => {
        // Users are locked before counters.
        const isStarted = await startSession(transaction, start);
        await correctCounters(transaction, correction, now);
        return isStarted;
      }),
  };
}
