/**
 * `svc_rate_limits`: row, mapping, queries. A statement that writes several counters locks them in the order of
 * their keys, so that two of them cannot wait for each other.
 */
import type { RateLimitCount, RateLimitRepository } from '../../storage/repositories.js';
import { opaque, time } from './bindings.js';
import type { Database } from './database.js';

interface CounterRow {
  key: string;
  count: number;
  reset_at: Date;
}

const hit = `
  insert into svc_rate_limits as r (key, count, reset_at)
  select key, 1, reset_at
  from unnest(cast(:keys as text[]), cast(:resets as timestamptz[])) as hits (key, reset_at)
  order by key
  on conflict (key) do update set
    count = case when r.reset_at <= :now then 1 else r.count + 1 end,
    reset_at = case when r.reset_at <= :now then excluded.reset_at else least(r.reset_at, excluded.reset_at) end
  returning key, count, reset_at`;

const locked = `
  with counters as (select key from svc_rate_limits where key = any(cast(:keys as text[])) order by key for update)`;

const refund = `
  ${locked}
  update svc_rate_limits as r set count = greatest(r.count - 1, 0)
  from counters where r.key = counters.key and r.reset_at > :now`;

const reset = `
  ${locked}
  update svc_rate_limits as r set count = 0 from counters where r.key = counters.key`;

export function rateLimitQueries(db: Database): RateLimitRepository {
  return {
    async hit(hits, now) {
      // A counter named twice is still one counter; one statement cannot write a row twice.
      const windows = new Map(hits.map(({ key, windowMs }) => [opaque(key), windowMs]));
      const bindings = {
        keys: [...windows.keys()],
        resets: [...windows.values()].map((windowMs) => time(new Date(now + windowMs))),
        now: time(new Date(now)),
      };
      const rows = await db.query(hit, bindings, toCount);
      const counts = new Map(rows);
      return hits.map(({ key }) => counts.get(opaque(key)) as RateLimitCount);
    },
    async refund(keys, now) {
      await db.execute(refund, { keys: keys.map(opaque), now: time(new Date(now)) });
    },
    async reset(keys) {
      await db.execute(reset, { keys: keys.map(opaque) });
    },
  };
}

function toCount(row: CounterRow): [string, RateLimitCount] {
  return [row.key, { count: row.count, resetAt: new Date(row.reset_at).getTime() }];
}
