/** The numbers of the overview as CSV (RFC 4180). */
import { withoutFormula } from '../../core/support/spreadsheet-cell.js';
import type { StatisticsReport } from '../../core/support/statistics-report.js';

export function csvOf({ periods, series }: StatisticsReport): string {
  const rows = series.flatMap(({ name, label, counts }) =>
    counts.map((count, index) => [periods[index] ?? '', name, label, String(count)]),
  );
  const lines = [['period_utc', 'statistic', 'label', 'count'], ...rows];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(value: string): string {
  const text = withoutFormula(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
