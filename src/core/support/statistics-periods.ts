/** The periods that are counted, in UTC, by the names under which they are stored. */

export type StatisticsRange = 'day' | 'month' | 'year';
export const statisticsRanges: readonly StatisticsRange[] = ['day', 'month', 'year'];

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

// The shortest range is shown in hours, of which the longest is not worth its rows.
const keptHoursMs = 3 * dayMs;
const keptDaysMs = 400 * dayMs;
// A process whose flush failed at the end of a period tries again for as long.
const graceMs = 2 * dayMs;

export const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13);
export const dayOf = (hour: string): string => hour.slice(0, 10);
export const monthOf = (hour: string): string => hour.slice(0, 7);
export const yearOf = (hour: string): string => hour.slice(0, 4);

interface Kept {
  period: string;
  /** When its counters are removed. */
  expiresAt: Date | null;
}

/** The periods of a counter that was raised in this hour. The months are kept: they are few, and years are made of them. */
export function periodsOf(hour: string): Kept[] {
  const start = Date.parse(`${hour}:00:00Z`);
  return [
    { period: hour, expiresAt: new Date(start + keptHoursMs) },
    { period: dayOf(hour), expiresAt: new Date(start - (start % dayMs) + keptDaysMs) },
    { period: monthOf(hour), expiresAt: null },
  ];
}

interface Active {
  period: string;
  /** When the record of its active users is removed. */
  expiresAt: Date;
  countExpiresAt: Date | null;
}

/** The periods in which a user is counted who was active on this day. */
export function activePeriodsOf(day: string): Active[] {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const start = Date.parse(day);
  const until = (end: number) => new Date(end + graceMs);
  return [
    { period: day, expiresAt: until(start + dayMs), countExpiresAt: new Date(start + keptDaysMs) },
    { period: monthOf(day), expiresAt: until(Date.UTC(year, month)), countExpiresAt: null },
    { period: yearOf(day), expiresAt: until(Date.UTC(year + 1, 0)), countExpiresAt: null },
  ];
}

/** The periods of a range that ends now, oldest first: 24 hours, 30 days, or 12 months. */
export function periodsIn(range: StatisticsRange, now: number): string[] {
  const back = (count: number, at: (index: number) => number, name: (hour: string) => string) =>
    Array.from({ length: count }, (_, index) => name(hourOf(at(count - 1 - index))));
  if (range === 'day')
    return back(
      24,
      (index) => now - index * hourMs,
      (hour) => hour,
    );
  if (range === 'month') return back(30, (index) => now - index * dayMs, dayOf);
  const date = new Date(now);
  return back(12, (index) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - index), monthOf);
}
