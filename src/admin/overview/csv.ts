/** The numbers of the overview as CSV. */
import type { StatisticsReport } from '../../core/support/statistics-report.js';
import { csvLine } from '../csv.js';

export function csvOf({ periods, series }: StatisticsReport): string {
  const rows = series.flatMap(({ name, label, counts }) =>
    counts.map((count, index) => [periods[index] ?? '', name, label, String(count)]),
  );
  return [['period_utc', 'statistic', 'label', 'count'], ...rows].map(csvLine).join('');
}
