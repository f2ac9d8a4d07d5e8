/** The numbers of the overview as CSV (RFC 4180). */
import type { StatisticsReport } from '../../core/support/statistics-report.js';

export function csvOf({ periods, series }: StatisticsReport): string {
  const rows = series.flatMap(({ name, label, counts }) =>
    counts.map((count, index) => [periods[index] ?? '', name, label, String(count)]),
  );
  const lines = [['period_utc', 'statistic', 'label', 'count'], ...rows];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** A spreadsheet runs a cell that begins with one of these signs as a formula; the apostrophe makes it text (CWE-1236). */
function cellOf(value: string): string {
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
