/** The elementary attempt at a code, of an adapter that corrects counters in the same statement. */
import type { FastPaths } from '../../storage/fast-paths.js';
import type { OneTimeCodeRepository } from '../../storage/one-time-code-repository.js';

export type CodesWithCorrection = Omit<OneTimeCodeRepository, 'attempt'> &
  Pick<FastPaths, 'attemptAndCorrect'>;

export function elementaryAttempt(
  attemptAndCorrect: FastPaths['attemptAndCorrect'],
): OneTimeCodeRepository['attempt'] {
  return async (attempt) => {
    const outcome = await attemptAndCorrect(attempt);
    return outcome.status === 'consumed' ? { status: outcome.status, code: outcome.code } : outcome;
  };
}
