/** How often each race runs, and its time-out. */

// A race that is lost once in twenty rounds is still lost: `npm test -- --races` runs twenty.
export const rounds = Number(process.env['RACE_ROUNDS'] ?? 1);

export const timeoutMs = 30_000 + rounds * 10_000;

const day = 24 * 60 * 60_000;

/** Returns a time at which every limit has started again, in the middle of a step of an authenticator app. */
export function nextRound(now: number): number {
  return Math.ceil((now + 2 * day) / 30_000) * 30_000 + 10_000;
}
