/** The account of a proof that was refused, for its record and its event. No response contains it: it would reveal who has an account. */
import { isUuid } from '../../domain/uuid.js';

const attemptedUser = Symbol('attempted user');

/** Notes whose account an attempt was about, as far as the server has read it. Returns the error. */
export function withAttemptedUser<E>(error: E, userId: string | undefined): E {
  // Not enumerable, so that neither a log nor a response that copies the error has it.
  if (error instanceof Error && userId !== undefined && isUuid(userId))
    Object.defineProperty(error, attemptedUser, { value: userId, configurable: true });
  return error;
}

export function attemptedUserOf(error: Error): string | undefined {
  return (error as Error & { [attemptedUser]?: string })[attemptedUser];
}
