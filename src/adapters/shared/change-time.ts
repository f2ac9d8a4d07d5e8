/** The time of a change. */

/** Returns `now`, or one millisecond after the last change if that is later: callers compare the times to find out if there was a change. */
export function laterThan(changedAt: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), changedAt.getTime() + 1));
}
