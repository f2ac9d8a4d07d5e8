/** How the periods of a report are written, in UTC. */
import type { StatisticsRange } from '../../core/support/statistics-periods.js';

const inUtc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' });
const hour = inUtc({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const shortHour = inUtc({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = inUtc({ month: 'short', day: 'numeric', year: 'numeric' });
const shortDay = inUtc({ month: 'short', day: 'numeric' });
const month = inUtc({ month: 'long', year: 'numeric' });
const shortMonth = inUtc({ month: 'short' });

const formats: Record<
  StatisticsRange,
  { full: Intl.DateTimeFormat; short: Intl.DateTimeFormat; every: number }
> = {
  day: { full: hour, short: shortHour, every: 6 },
  month: { full: day, short: shortDay, every: 7 },
  year: { full: month, short: shortMonth, every: 3 },
};

/** Returns each period as text, and some of them as ticks of an axis, the last but one among them: the last has no room for its text. */
export function shownPeriods(
  range: StatisticsRange,
  periods: readonly string[],
): { label: string; tick: string | null }[] {
  const { full, short, every } = formats[range];
  return periods.map((period, index) => {
    const date = new Date(range === 'day' ? `${period}:00:00Z` : period);
    const isTick = (periods.length - 2 - index) % every === 0 && index > 0;
    return { label: full.format(date), tick: isTick ? short.format(date) : null };
  });
}

export const rangeTitles: Record<StatisticsRange, string> = {
  day: 'the last 24 hours',
  month: 'the last 30 days',
  year: 'the last 12 months',
};

export const periodHeadings: Record<StatisticsRange, string> = {
  day: 'Hour (UTC)',
  month: 'Day (UTC)',
  year: 'Month (UTC)',
};
