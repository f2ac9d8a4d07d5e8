/**
 * `svc_rate_limits`: row, mapping, queries. A statement that writes several counters locks them in the order of
 * their keys, so that two of them cannot wait for each other.
 */
import type { RateLimitHit, RateLimitRepository, RateLimitResult } from '../../storage/repositories.js';
import { retryAtOf } from '../counting-rules.js';
import { epochMs, opaque, readOptionalTime, readTime, time } from './bindings.js';
import type { Database } from './database.js';

interface CounterRow {
  key: string;
  count: number;
  reset_at_ms: string;
  /** The count as this statement found it; null without a row. */
  previous_count: number | null;
  retry_at_ms: string | null;
}

// Reads first and writes only if no counter refuses, so that a flood that is refused leaves the rows alone. What another
// statement wrote after this one began is not seen by that: `hit` below compares the counts that come back.
const hit = `
  with hits as (
    select key, reset_at, window_ms, cast(nullif(max, '') as bigint) as max,
      cast(nullif(first_ms, '') as double precision) as first_ms,
      cast(nullif(longest_ms, '') as double precision) as longest_ms
    from unnest(
      cast(:keys as text[]), cast(:resets as timestamptz[]), cast(:windows as double precision[]),
      cast(:maxes as text[]), cast(:firsts as text[]), cast(:longests as text[])
    ) as h (key, reset_at, window_ms, max, first_ms, longest_ms)
  ),
  waits as (
    select key, r.count, r.reset_at, h.longest_ms,
      case
        when r.reset_at <= :now or h.max is null or r.count < h.max then null
        when h.first_ms is null then case when r.reset_at <= h.reset_at then r.reset_at end
        else r.reset_at + interval '1 millisecond'
          * (least(h.first_ms * power(2, least(r.count - h.max, 60)), h.longest_ms) - h.window_ms)
      end as retry_at
    from svc_rate_limits as r join hits as h using (key)
  ),
  current as (
    select key, count, reset_at,
      case
        when retry_at <= :now then null
        when retry_at > cast(:now as timestamptz) + longest_ms * interval '1 millisecond' then null
        else retry_at
      end as retry_at
    from waits
  ),
  raised as (
    insert into svc_rate_limits as r (key, count, reset_at)
    select key, 1, reset_at from hits
    where not exists (select from current where retry_at is not null)
    order by key
    on conflict (key) do update set
      count = case when r.reset_at <= :now then 1 else r.count + 1 end,
      reset_at = case
        when r.reset_at <= :now or r.key = any(cast(:growing as text[])) then excluded.reset_at
        else least(r.reset_at, excluded.reset_at)
      end
    returning key, count, reset_at
  )
  select key, current.count as previous_count, ${epochMs('current.retry_at')} as retry_at_ms,
    coalesce(raised.count, current.count, 0) as count,
    ${epochMs('coalesce(raised.reset_at, current.reset_at, :now)')} as reset_at_ms
  from hits left join current using (key) left join raised using (key)`;

const locked = `
  with counters as (select key from svc_rate_limits where key = any(cast(:keys as text[])) order by key for update)`;

const refund = `
  ${locked}
  update svc_rate_limits as r set count = greatest(r.count - 1, 0)
  from counters where r.key = counters.key and r.reset_at > :now`;

const reset = `
  ${locked}
  update svc_rate_limits as r set count = 0 from counters where r.key = counters.key and r.count > 0`;

export function rateLimitQueries(db: Database): RateLimitRepository {
  async function refundAll(keys: readonly string[], now: number): Promise<void> {
    await db.execute(refund, { keys: keys.map(opaque), now: time(new Date(now)) });
  }

  return {
    async hit(hits, now) {
      // A counter named twice is still one counter; one statement cannot write a row twice.
      const once = [...new Map(hits.map((each) => [opaque(each.key), each]))];
      // Empty and not null where there is none: with `array_nulls` off an array has no nulls.
      const numbers = (of: (each: RateLimitHit) => number | undefined) =>
        once.map(([, each]) => of(each)?.toString() ?? '');
      const bindings = {
        keys: once.map(([key]) => key),
        resets: once.map(([, { windowMs }]) => time(new Date(now + windowMs))),
        windows: numbers(({ windowMs }) => windowMs),
        maxes: numbers(({ max }) => max),
        firsts: numbers(({ growingWait }) => growingWait?.firstMs),
        longests: numbers(({ growingWait }) => growingWait?.longestMs),
        growing: once.flatMap(([key, { growingWait }]) => (growingWait ? [key] : [])),
        now: time(new Date(now)),
      };
      const rows = new Map(await db.queryPrepared('svc_rate_limit_hit', hit, bindings, toEntry));
      const results = hits.map((each) => resultOf(each, rows.get(opaque(each.key)) as CounterRow, now));
      const isRefused = results.some(({ retryAt }) => retryAt !== undefined);
      const wasRaised = ![...rows.values()].some(({ retry_at_ms }) => retry_at_ms !== null);
      if (!isRefused || !wasRaised) return results;
      // Another hit used up a counter at the same moment: each of the two raised it, and this one was the later.
      await refundAll(bindings.keys, now);
      return results.map((result) => ({ ...result, count: result.count - 1 }));
    },
    refund: refundAll,
    async reset(keys) {
      await db.execute(reset, { keys: keys.map(opaque) });
    },
  };
}

function toEntry(row: CounterRow): [string, CounterRow] {
  return [row.key, row];
}

function resultOf(hit: RateLimitHit, row: CounterRow, now: number): RateLimitResult {
  const { count, previous_count } = row;
  const resetAt = readTime(row.reset_at_ms).getTime();
  const retryAt = readOptionalTime(row.retry_at_ms)?.getTime();
  if (retryAt !== undefined) return { count, resetAt, retryAt };
  const { max = Infinity, growingWait } = hit;
  // A growing wait allows one hit beyond `max` at a time: the one that followed the count that the statement saw.
  const isAllowed = count <= max || (growingWait !== undefined && count === (previous_count ?? 0) + 1);
  if (isAllowed) return { count, resetAt };
  return { count, resetAt, retryAt: retryAtOf({ count: count - 1, resetAt }, hit, now) ?? resetAt };
}
