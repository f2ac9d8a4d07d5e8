/** How the periods of a report are written, in UTC. */
import { BoundedMap } from '../../core/support/bounded-map.js';
import type { StatisticsRange } from '../../core/support/statistics-periods.js';

interface PeriodFormats {
  full: Intl.DateTimeFormat;
  short: Intl.DateTimeFormat;
  /** How many periods from one tick of an axis to the next. */
  every: number;
}

/** By language: creating formats takes longer than the rest of the page. */
const formats = new BoundedMap<string, Record<StatisticsRange, PeriodFormats>>(50);

function formatsIn(language: string): Record<StatisticsRange, PeriodFormats> {
  const known = formats.get(language);
  if (known) return known;
  const inUtc = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const day = { month: 'short', day: 'numeric' } as const;
  const created = {
    day: { full: inUtc({ ...day, ...clock }), short: inUtc(clock), every: 6 },
    month: { full: inUtc({ ...day, year: 'numeric' }), short: inUtc(day), every: 7 },
    year: { full: inUtc({ month: 'long', year: 'numeric' }), short: inUtc({ month: 'short' }), every: 3 },
  };
  formats.set(language, created);
  return created;
}

/** Returns each period as text, and some of them as ticks of an axis, the last but one among them: the last has no room for its text. */
export function shownPeriods(
  language: string,
  range: StatisticsRange,
  periods: readonly string[],
): { label: string; tick: string | null }[] {
  const { full, short, every } = formatsIn(language)[range];
  return periods.map((period, index) => {
    const date = new Date(range === 'day' ? `${period}:00:00Z` : period);
    const isTick = (periods.length - 2 - index) % every === 0 && index > 0;
    return { label: full.format(date), tick: isTick ? short.format(date) : null };
  });
}
