/** How often each race is run, and for how long it may take. */

// A race that is lost once in twenty times is still lost; `npm run test:races` runs twenty.
export const rounds = Number(process.env['RACE_ROUNDS'] ?? 1);

export const patienceMs = 30_000 + rounds * 10_000;

const day = 24 * 60 * 60_000;

/** Far enough for every limit to begin anew, in the middle of a step of an authenticator app. */
export function nextRound(now: number): number {
  return Math.ceil((now + 2 * day) / 30_000) * 30_000 + 10_000;
}
