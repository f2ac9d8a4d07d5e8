import {
  activeUsersCounter,
  type StatisticsAddition,
  type StatisticsRepository,
} from '../../storage/statistics-repository.js';
import type { Tables } from './tables.js';

const keyOf = (...parts: string[]) => JSON.stringify(parts);

export function memoryStatistics({ activeUsers, statistics, users }: Tables): StatisticsRepository {
  function add(addition: StatisticsAddition): void {
    const key = keyOf(addition.period, addition.name, addition.label);
    const { count = 0 } = statistics.get(key) ?? {};
    statistics.set(key, { ...addition, count: count + addition.count });
  }

  return {
    async add(counts, active) {
      for (const addition of counts) add(addition);
      for (const { period, userIds, expiresAt, countExpiresAt } of active) {
        const keys = new Map(userIds.map((userId) => [keyOf(userId, period), userId]));
        const added = [...keys].filter(([key, userId]) => users.has(userId) && !activeUsers.has(key));
        for (const [key, userId] of added) activeUsers.set(key, { userId, expiresAt });
        if (added.length > 0)
          add({
            ...{ period, name: activeUsersCounter, label: '' },
            count: added.length,
            expiresAt: countExpiresAt,
          });
      }
    },
    async read(periods) {
      return [...statistics.values()].flatMap(({ expiresAt: _, ...count }) =>
        periods.includes(count.period) ? [count] : [],
      );
    },
  };
}
