/** What `service.statistics` returns: the counters of a range, as series over its periods. */
import { InvalidRequestError, ProviderNotConfiguredError } from '../../errors/catalog.js';
import { activeUsersCounter, type StatisticsRepository } from '../../storage/statistics-repository.js';
import type { Clock } from './clock.js';
import { parseOptions } from './input.js';
import { counterNames, type StatisticsName } from './statistics.js';
import {
  dayOf,
  hourOf,
  monthOf,
  periodsIn,
  statisticsRanges,
  yearOf,
  type StatisticsRange,
} from './statistics-periods.js';

export interface StatisticsSeries {
  name: StatisticsName;
  /** The sign-in method, the reason of the failure, the limit, or `sent` and `failed`. Empty for `active_users`. */
  label: string;
  /** One number for each of the periods. */
  counts: number[];
}

export interface StatisticsReport {
  range: StatisticsRange;
  /** Oldest first, in UTC: 24 hours such as `2031-05-06T07`, 30 days such as `2031-05-06`, or 12 months such as `2031-05`. */
  periods: string[];
  /** By name, and of a name the largest first. What was never counted in the range is left out. */
  series: StatisticsSeries[];
  /** Users who were active in this day, month and year so far, each counted once. */
  activeUsers: Record<StatisticsRange, number>;
}

const names: readonly StatisticsName[] = [...counterNames, activeUsersCounter];

export class StatisticsReports {
  constructor(
    /** Null without the option `statistics`. */
    private readonly storage: StatisticsRepository | null,
    private readonly clock: Clock,
  ) {}

  /** @throws ProviderNotConfiguredError without the option `statistics`. */
  assertEnabled(): void {
    this.enabled();
  }

  /**
   * Returns what was counted in the last 24 hours, 30 days or 12 months, up to a few seconds ago. Reads a few hundred counters, however
   * many users there are.
   * @param options.range `day`, which is the default, `month` or `year`. @throws InvalidRequestError if it is something else;
   * ProviderNotConfiguredError without the option `statistics`.
   */
  async read(options: { range?: StatisticsRange } = {}): Promise<StatisticsReport> {
    const { range = 'day' } = parseOptions(options, ['range']);
    if (!statisticsRanges.includes(range))
      throw new InvalidRequestError(`range must be one of ${statisticsRanges.join(', ')}.`);
    const storage = this.enabled();
    const now = this.clock();
    const periods = periodsIn(range, now);
    const hour = hourOf(now);
    const current = { day: dayOf(hour), month: monthOf(hour), year: yearOf(hour) };
    const rows = await storage.read([...new Set([...periods, ...Object.values(current)])]);
    const series = new Map<string, StatisticsSeries>();
    const activeUsers = { day: 0, month: 0, year: 0 };
    for (const { period, name, label, count } of rows) {
      if (name === activeUsersCounter)
        for (const each of statisticsRanges) if (current[each] === period) activeUsers[each] = count;
      const at = periods.indexOf(period);
      // A newer release may count more.
      if (at === -1 || !isKnown(name)) continue;
      const key = `${name} ${label}`;
      const known = series.get(key) ?? { name, label, counts: periods.map(() => 0) };
      known.counts[at] = count;
      series.set(key, known);
    }
    return { range, periods, series: [...series.values()].sort(byNameAndSize), activeUsers };
  }

  private enabled(): StatisticsRepository {
    if (!this.storage) throw new ProviderNotConfiguredError('statistics', 'Set `statistics: true`.');
    return this.storage;
  }
}

const isKnown = (name: string): name is StatisticsName => (names as readonly string[]).includes(name);

export const totalOf = ({ counts }: Pick<StatisticsSeries, 'counts'>): number =>
  counts.reduce((sum, count) => sum + count, 0);

function byNameAndSize(a: StatisticsSeries, b: StatisticsSeries): number {
  const byName = names.indexOf(a.name) - names.indexOf(b.name);
  return byName || totalOf(b) - totalOf(a) || (a.label < b.label ? -1 : 1);
}
