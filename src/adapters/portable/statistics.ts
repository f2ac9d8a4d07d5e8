/**
 * `svc_statistics` and `svc_active_users`. Counters are written in the order of their keys, after the records of users, so that
 * processes that add to the same rows at the same time do not deadlock.
 */
import {
  activeUsersCounter,
  type ActiveUsers,
  type StatisticsAddition,
  type StatisticsRepository,
} from '../../storage/statistics-repository.js';
import { asUuid } from '../shared/bindings.js';
import type { Database, Queryable } from './database.js';
import { inLists } from './imports/insert-rows.js';
import { statisticsCounters, type StatisticsFields } from './records.js';
import type { Value } from './statements.js';
import { columnsOf, readerOf, rowsInsertion, valuesOf } from './tables.js';

// The name and the label in one column: a primary key of two columns is what a purge removes rows by.
const separator = ' ';

const raise = `{sum svc_statistics; period, series; hits}`;
/** Rows of one statement, so that there are few different statements. A flush usually has fewer than the most. */
const sizes = [128, 32, 8, 1];

/**
 * Only users who still exist: the foreign key would refuse the others, and with them everything. It locks each user in the order of the
 * ids, as every transaction does (locks.ts), and a user who is deleted at that moment fails the transaction, which is repeated.
 */
const record = `
  {insert new} into svc_active_users (user_id, period, expires_at)
  select u.id, :period, :expiresAt from svc_users u where u.id in (:values*) order by u.id {keep}`;

const readCounters = `select ${columnsOf(statisticsCounters, 's')} from svc_statistics s where s.period in (:periods*)`;
const toFields = readerOf(statisticsCounters, 's');

export function statisticsQueries(db: Database): StatisticsRepository {
  return {
    async add(counts, active) {
      if (counts.length === 0 && active.every(({ userIds }) => userIds.length === 0)) return;
      await db.transaction(async (transaction) => {
        const added: StatisticsAddition[] = [];
        for (const each of active) {
          const count = await recordUsers(transaction, each);
          const { period, countExpiresAt } = each;
          if (count > 0)
            added.push({ period, name: activeUsersCounter, label: '', count, expiresAt: countExpiresAt });
        }
        await addAll(transaction, [...counts, ...added]);
      });
    },
    async read(periods) {
      const rows = await db.query(readCounters, { periods }, toFields);
      return rows.map(({ period, series, hits }) => {
        const [name = '', label = ''] = series.split(separator);
        return { period, name, label, count: hits };
      });
    },
  };
}

async function recordUsers(
  transaction: Queryable,
  { userIds, period, expiresAt }: ActiveUsers,
): Promise<number> {
  const ids = userIds.flatMap((id) => asUuid(id) ?? []).sort();
  let added = 0;
  await inLists(ids, async (values) => {
    added += await transaction.execute(record, { period, expiresAt, values });
  });
  return added;
}

async function addAll(transaction: Queryable, additions: readonly StatisticsAddition[]): Promise<void> {
  const rows = rowsOf(additions);
  let start = 0;
  for (const size of sizes) {
    for (; rows.length - start >= size; start += size) {
      const bindings: Record<string, Value> = {};
      for (let row = 0; row < size; row += 1) {
        const values = valuesOf(statisticsCounters, rows[start + row]!);
        for (const [name, value] of Object.entries(values)) bindings[`${name}_r${row}`] = value as Value;
      }
      await transaction.execute(`${rowsInsertion(statisticsCounters, size)} ${raise}`, bindings);
    }
  }
}

/** Returns one row per key, in the order of the keys: an insertion must not write a row twice. */
function rowsOf(additions: readonly StatisticsAddition[]): StatisticsFields[] {
  const rows = new Map<string, StatisticsFields>();
  for (const { period, name, label, count, expiresAt } of additions) {
    const series = label === '' ? name : `${name}${separator}${label}`;
    const key = `${period}${separator}${series}`;
    rows.set(key, { period, series, hits: (rows.get(key)?.hits ?? 0) + count, expiresAt });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
