/** What sign-ins do together, by the elementary methods of a storage: for an adapter without `fastPaths`, and for counters outside of it. */
import type { StorageAdapter } from '../../storage/adapter.js';
import type { CorrectedOutcome, CorrectingAttempt, FastPaths } from '../../storage/fast-paths.js';
import type { CounterCorrection } from '../../storage/rate-limit-repository.js';
import type { Counters, ReportUncorrected } from './counters.js';

/**
 * @param counters those of the adapter, or of a store.
 * @param report called if counters could not be corrected after what they counted. That has succeeded, so its user must not be refused.
 */
export function composedFastPaths(
  { fastPaths: fused, oneTimeCodes, sessions, users }: ComposedStorage,
  counters: Counters,
  report: ReportUncorrected,
): FastPaths {
  const correctAfter = (correction: CounterCorrection, now: number) =>
    counters.correct(correction, now).catch(report);
  async function attemptAndFind({ email, ...attempt }: CorrectingAttempt): Promise<CorrectedOutcome> {
    // If only the counters are elsewhere, the adapter still does the rest in one step.
    if (fused) return fused.attemptAndCorrect({ ...attempt, ...(email !== undefined && { email }) });
    const outcome = await oneTimeCodes.attempt(attempt);
    if (outcome.status !== 'consumed') return outcome;
    return { ...outcome, user: email === undefined ? null : await users.findByEmail(email) };
  }

  return {
    async hitAndFindUser(hits, email, now) {
      const results = await counters.hit(hits, now);
      if (results.some(({ retryAt }) => retryAt !== undefined)) return { results, user: null };
      try {
        return { results, user: await users.findByEmail(email) };
      } catch (error) {
        // A hit that fails raises no counter.
        const refund = hits.map(({ key }, i) => results[i]?.countedAs ?? key);
        await counters.correct({ refund, reset: [] }, now).catch(() => undefined);
        throw error;
      }
    },
    async correctAndStart(correction, { session, epoch, trustedBrowserId }, now) {
      const isStarted = await sessions.start(session, epoch, trustedBrowserId);
      await correctAfter(correction, now);
      return isStarted;
    },
    async attemptAndCorrect({ correction, ...attempt }) {
      const outcome = await attemptAndFind(attempt);
      if (correction && outcome.status === 'consumed') await correctAfter(correction, attempt.now.getTime());
      return outcome;
    },
  };
}

type ComposedStorage = Pick<StorageAdapter, 'fastPaths' | 'oneTimeCodes' | 'sessions' | 'users'>;
