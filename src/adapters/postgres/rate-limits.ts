/**
 * `svc_rate_limits`: row, mapping, queries. A statement that writes several counters locks them in
 * the order of their keys, so that two statements cannot deadlock.
 */
import type { FastPaths } from '../../storage/fast-paths.js';
import type {
  CounterCorrection,
  RateLimitHit,
  RateLimitRepository,
  RateLimitResult,
} from '../../storage/rate-limit-repository.js';
import { retryAtOf } from '../shared/counting-rules.js';
import { asKey, asText, asTimestamp, readOptionalTime, readTime } from '../shared/bindings.js';
import { epochMs } from './expressions.js';
import { byIndex } from './by-index.js';
import type { Bindings, Database } from './database.js';
import { correctIf, correctionBindings } from './counter-corrections.js';
import { startBindings, startWith } from './sessions.js';
import { findByEmail, readUser, userAsJson } from './users.js';

interface CounterRow {
  key: string;
  count: number;
  reset_at_ms: string;
}

interface DecidedRow extends CounterRow {
  /** The count before this statement; null if there was no row. */
  previous_count: number | null;
  retry_at_ms: string | null;
}

/**
 * The hits with their counters. `offset 0` makes PostgreSQL look up each one separately, where a plain
 * join would read the whole table. The hits are one JSON document, which PostgreSQL reads in half the
 * time of an array per property.
 */
const hitsWithCounters = (columns: string) => `
  json_to_recordset(cast(:hits as json)) as h (${columns}) left join lateral (
    select count, reset_at from svc_rate_limits where key = h.key and ${byIndex('key')} offset 0) as r on true`;

/** Raises the counters with the columns `key` and `reset_at` of `source`. */
const raise = (source: string) => `
  insert into svc_rate_limits as r (key, count, reset_at)
  select key, 1, reset_at from ${source}
  order by key
  on conflict (key) do update set
    count = case when r.reset_at <= :now then 1 else r.count + 1 end,
    reset_at = case
      when r.reset_at <= :now or r.key = any(cast(:growing as text[])) then excluded.reset_at
      else least(r.reset_at, excluded.reset_at)
    end
  returning key, count, reset_at`;

// Raises all counters if none is used up, which is almost always so, and none otherwise: a flood of
// refused hits writes nothing. The read does not see writes of statements that started later:
// `resultsOf` below compares the returned counts.
const raiseUnlessUsedUp = `
  with current as (
    select h.key, h.reset_at, r.reset_at > :now and r.count >= h.max as is_used_up
    from ${hitsWithCounters('key text, reset_at timestamptz, max bigint')}
  ),
  raised as (${raise('current where not exists (select from current where is_used_up)')})`;

const raisedColumns = `key, count, ${epochMs('reset_at')} as reset_at_ms`;

const hit = `${raiseUnlessUsedUp} select ${raisedColumns} from raised`;

// A row without a counter if there are no hits, or if a counter is used up.
const hitAndFindUser = `
  ${raiseUnlessUsedUp}
  select ${raisedColumns},
    ${userAsJson(`u.email = :email and ${byIndex('u.email')} and not exists (select from current where is_used_up)`)} as user_json
  from (select) as one left join raised on true`;

// Decides about hits on a counter that is used up, and raises all counters if it allows them.
const decide = `
  with waits as (
    select key, r.count, r.reset_at, h.longest_ms, h.reset_at as next_reset_at,
      case
        when r.reset_at <= :now or h.max is null or r.count < h.max then null
        when h.first_ms is null then case when r.reset_at <= h.reset_at then r.reset_at end
        else r.reset_at + interval '1 millisecond'
          * (least(h.first_ms * power(2, least(r.count - h.max, 60)), h.longest_ms) - h.window_ms)
      end as retry_at
    from ${hitsWithCounters(`
      key text, reset_at timestamptz, window_ms double precision, max bigint,
      first_ms double precision, longest_ms double precision`)}
  ),
  current as (
    select key, count, reset_at, next_reset_at,
      case
        when retry_at <= :now then null
        when retry_at > cast(:now as timestamptz) + longest_ms * interval '1 millisecond' then null
        else retry_at
      end as retry_at
    from waits
  ),
  raised as (${raise(`(
    select key, next_reset_at as reset_at from current
    where not exists (select from current where retry_at is not null)) as allowed`)})
  select key, current.count as previous_count, ${epochMs('current.retry_at')} as retry_at_ms,
    coalesce(raised.count, current.count, 0) as count,
    ${epochMs('coalesce(raised.reset_at, current.reset_at, :now)')} as reset_at_ms
  from current left join raised using (key)`;

const correct = correctIf('true');

const correctAndStart = startWith(`correction as (${correct}),`);

export function rateLimitQueries(
  db: Database,
): RateLimitRepository & Pick<FastPaths, 'hitAndFindUser' | 'correctAndStart'> {
  async function correctAll(correction: CounterCorrection, now: number): Promise<void> {
    await db.executePrepared('svc_rate_limit_correct', correct, correctionBindings(correction, now));
  }

  /**
   * Returns the result of each hit.
   * @param rows the raised counters; none if a counter is used up.
   */
  async function resultsOf(
    hits: readonly RateLimitHit[],
    rows: readonly CounterRow[],
    now: number,
  ): Promise<RateLimitResult[]> {
    if (rows.length === 0 && hits.length > 0) return decideAll(hits, now);
    const results = hits.map((each) => raisedBy(each, rowOf(rows, each), now));
    return results.some(isRefused) ? takenBack(hits, results, now) : results;
  }

  async function decideAll(hits: readonly RateLimitHit[], now: number): Promise<RateLimitResult[]> {
    const bindings = hitBindings(hits, now);
    const rows = await db.queryPrepared('svc_rate_limit_decide', decide, bindings, (row: DecidedRow) => row);
    const isRaised = rows.every(({ retry_at_ms }) => retry_at_ms === null);
    const results = hits.map((each) => {
      const row = rowOf(rows, each);
      return isRaised ? raisedBy(each, row, now, row.previous_count ?? 0) : refusedBy(row);
    });
    return isRaised && results.some(isRefused) ? takenBack(hits, results, now) : results;
  }

  /** Another hit used up a counter at the same moment. Both raised it, and these came second. */
  async function takenBack(
    hits: readonly RateLimitHit[],
    results: readonly RateLimitResult[],
    now: number,
  ): Promise<RateLimitResult[]> {
    await correctAll({ refund: hits.map(({ key }) => key), reset: [] }, now);
    return results.map((result) => ({ ...result, count: result.count - 1 }));
  }

  return {
    async hit(hits, now) {
      const bindings = hitBindings(hits, now);
      const rows = await db.queryPrepared('svc_rate_limit_hit', hit, bindings, (row: CounterRow) => row);
      return resultsOf(hits, rows, now);
    },
    async hitAndFindUser(hits, email, now) {
      const bindings = hitBindings(hits, now, email);
      const rows = await db.queryPrepared(
        'svc_rate_limit_hit_user',
        hitAndFindUser,
        bindings,
        (row: (CounterRow | { key: null }) & { user_json: string | null }) => row,
      );
      const raised = rows.filter((row): row is typeof row & CounterRow => row.key !== null);
      const results = await resultsOf(hits, raised, now);
      if (results.some(isRefused)) return { results, user: null };
      // Without raised counters, they were allowed after all, and this statement has not read the user.
      const isRead = raised.length > 0 || hits.length === 0;
      return { results, user: isRead ? readUser(rows[0]?.user_json ?? null) : await findByEmail(db, email) };
    },
    correct: correctAll,
    async correctAndStart(correction, { session, epoch, trustedBrowserId }, now) {
      const bindings = {
        ...startBindings(session, epoch, trustedBrowserId),
        ...correctionBindings(correction, now),
      };
      const started = await db.executePrepared('svc_rate_limit_correct_start', correctAndStart, bindings);
      return started === 1;
    },
  };
}

function hitBindings(hits: readonly RateLimitHit[], now: number, email = ''): Bindings {
  // A key that occurs twice is still one counter, and one statement cannot write a row twice.
  const uniqueHits = [...new Map(hits.map((each) => [asKey(each.key), each]))];
  const records = uniqueHits.map(([key, { windowMs, max, growingWait }]) => ({
    key,
    reset_at: asTimestamp(new Date(now + windowMs)),
    window_ms: windowMs,
    max,
    first_ms: growingWait?.firstMs,
    longest_ms: growingWait?.longestMs,
  }));
  return {
    hits: JSON.stringify(records),
    growing: uniqueHits.flatMap(([key, { growingWait }]) => (growingWait ? [key] : [])),
    now: asTimestamp(new Date(now)),
    email: asText(email),
  };
}

function rowOf<Row extends CounterRow>(rows: readonly Row[], hit: RateLimitHit): Row {
  const key = asKey(hit.key);
  return rows.find((row) => row.key === key) as Row;
}

function isRefused({ retryAt }: RateLimitResult): boolean {
  return retryAt !== undefined;
}

/** @param previousCount the count before the hit, if it was used up. */
function raisedBy(hit: RateLimitHit, row: CounterRow, now: number, previousCount = 0): RateLimitResult {
  const { count } = row;
  const resetAt = readTime(row.reset_at_ms).getTime();
  const { max = Infinity, growingWait } = hit;
  // A growing wait allows one hit beyond `max` at a time: the hit that directly followed the count
  // that was read.
  const isAllowed = count <= max || (growingWait !== undefined && count === previousCount + 1);
  if (isAllowed) return { count, resetAt };
  return { count, resetAt, retryAt: retryAtOf({ count: count - 1, resetAt }, hit, now) ?? resetAt };
}

function refusedBy({ count, reset_at_ms, retry_at_ms }: DecidedRow): RateLimitResult {
  const resetAt = readTime(reset_at_ms).getTime();
  const retryAt = readOptionalTime(retry_at_ms)?.getTime();
  return { count, resetAt, ...(retryAt !== undefined && { retryAt }) };
}
