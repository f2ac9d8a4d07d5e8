/** A call of the storage that found no connection, for example because the pool was exhausted. */
import { InternalError } from '../errors/catalog.js';
import { retryOn } from './retries.js';

/** The storage has received nothing, so that the call may be repeated. */
export class NotSentError extends InternalError {}

/**
 * Runs `work`, and runs it again if it found no connection, for thirty seconds. For what must not fail after a proof has been consumed.
 * @throws InternalError if there is still no connection.
 */
export async function retryNotSent<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await retryOn(work, (error) => error instanceof NotSentError);
  } catch (error) {
    // Another caller must not repeat `work`, of which other calls may have been sent.
    throw error instanceof NotSentError ? new InternalError(error.cause, error.message) : error;
  }
}
