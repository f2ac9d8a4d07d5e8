/** SQL that refunds and resets counters, alone or within another statement. */
import type { CounterCorrection } from '../../storage/rate-limit-repository.js';
import { asKey, asTimestamp } from '../shared/bindings.js';
import { arrayOf } from './expressions.js';
import { byIndex } from './by-index.js';
import type { Bindings } from './database.js';

/**
 * An insertion that corrects the counters of `correctionBindings` if the condition is true. Counters
 * that do not exist or are zero are not written. It locks the others in the order of their keys, as
 * a hit does. If the purge removes one at the same moment, its row is inserted without hits.
 */
export function correctIf(condition: string): string {
  return `
  insert into svc_rate_limits as r (key, count, reset_at)
  select corrected.key, 0, cast(:correctedAt as timestamptz)
  from unnest(${arrayOf('correctedKeys', 'text')}) as corrected (key)
    cross join lateral (
      select from svc_rate_limits
      where key = corrected.key and count > 0 and ${byIndex('key')} offset 0) as counter
  where ${condition}
  order by corrected.key
  on conflict (key) do update set count = case
    when r.key = any(cast(:resetKeys as text[])) then 0
    when r.reset_at > :correctedAt then greatest(r.count - 1, 0)
    else r.count end`;
}

/** @param correction undefined corrects nothing. */
export function correctionBindings(correction: CounterCorrection | undefined, now: number): Bindings {
  const { refund, reset } = correction ?? { refund: [], reset: [] };
  // One statement cannot write a row twice.
  const correctedKeys = [...new Set([...refund, ...reset].map(asKey))];
  return { correctedKeys, resetKeys: reset.map(asKey), correctedAt: asTimestamp(new Date(now)) };
}
