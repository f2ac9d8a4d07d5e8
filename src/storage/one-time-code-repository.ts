/** The storage of one-time codes. */
import type { CodePurpose, ServiceOneTimeCode } from '../domain/one-time-code.js';

/** A guess at a code. */
export interface CodeAttempt {
  purpose: CodePurpose;
  subject: string;
  /**
   * The hashes that the code may have, one for each secret that it may have been issued with. They
   * are MACs under keys that are not in the database, so comparing them need not take constant time.
   */
  codeHashes: readonly string[];
  /**
   * Whether the guess can only be right for a long code, whose hash starts with `~`. Default false. For a guess of
   * the other kind a code is `missing`, so that guesses at one kind do not use up the other.
   */
  isLong?: boolean;
  maxAttempts: number;
  now: Date;
}

/** `code.attempts` includes this attempt. */
export type CodeOutcome =
  | { status: 'consumed'; code: ServiceOneTimeCode }
  | { status: 'wrong'; code: ServiceOneTimeCode }
  | { status: 'missing' | 'expired' | 'exhausted' };

export interface OneTimeCodeRepository {
  /**
   * Stores the code, with no attempts, and replaces any other code of the same purpose and subject.
   * A code whose subject is a user's id is not stored if that user does not exist.
   */
  replace(code: Omit<ServiceOneTimeCode, 'attempts' | 'consumedAt'>): Promise<void>;
  /**
   * Gives a code that was not consumed another hash and another expiry, with no attempts, and keeps its metadata. Also one that has
   * expired. Returns false, and stores nothing, if there is no such code.
   */
  renew(code: Pick<ServiceOneTimeCode, 'purpose' | 'subject' | 'codeHash' | 'expiresAt'>): Promise<boolean>;
  /** Removes the code if it is still the one with this hash (its send failed). */
  discard(purpose: CodePurpose, subject: string, codeHash: string): Promise<void>;
  /**
   * Evaluates a guess in one step. Returns `missing` if there is no code or it was consumed,
   * `expired` if `now >= expiresAt`, `exhausted` if `attempts >= maxAttempts`, in this order.
   * Otherwise raises `attempts` by one, compares the hashes, and returns `wrong`, or marks the code
   * consumed and returns `consumed`. Never compares more than `maxAttempts` guesses per code, and
   * only one of several parallel guesses consumes it.
   *
   * A code with a `linkDigest` is also `missing` if the link is not stored any more, unless the code
   * has expired. Consuming it removes the link in the same step, so of parallel uses of the code and
   * the link only one succeeds.
   */
  attempt(attempt: CodeAttempt): Promise<CodeOutcome>;
}
