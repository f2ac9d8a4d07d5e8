/** JavaScript reads February 30 as March 1 or 2. */

/** Returns whether the calendar has the day. @param day `YYYY-MM-DD`. */
export function isCalendarDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
