/** One-time codes: stored as MACs, with a limited number of guesses (specification 3.1, 3.2; docs/decisions/codes.md). */
import { constantTimeEqual, mac } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';
import { randomCharacters, randomDigits } from '../../crypto/random.js';
import {
  codeLetters,
  isLongCode,
  longCodeLength,
  longHashPrefix,
  type CodeFormat,
  type CodePurpose,
} from '../../domain/one-time-code.js';
import type { StoredUser } from '../../domain/user.js';
import {
  CodeExpiredError,
  CodeInvalidError,
  CodeNotFoundError,
  MaxAttemptsError,
  RateLimitError,
} from '../../errors/catalog.js';
import { because, reasonOf } from '../../errors/reasons.js';
import type { FastPaths } from '../../storage/fast-paths.js';
import type { OneTimeCodeRepository } from '../../storage/one-time-code-repository.js';
import { guessLimits, type RateLimit } from '../limits/rate-limits.js';
import { withAttemptedUser } from '../support/attempted-user.js';
import type { Clock } from '../support/clock.js';
import type { ReportFailedCode } from '../support/failed-codes.js';
import { parseCode } from '../support/input.js';
import type { ConsumedLimits } from '../limits/consumed-limits.js';
import type { Limiter, Spending } from '../limits/limiter.js';

export interface CodeOptions {
  length: number;
  ttlMs: number;
  maxAttempts: number;
}

export interface NewCodeOptions {
  /** Stored with the code, and returned when it is redeemed. */
  metadata?: Record<string, unknown>;
  /** Default `code.ttlMs`. */
  ttlMs?: number;
  /** Values that must be the same when the code is redeemed, in addition to its subject. They are part of the hash. */
  binding?: readonly string[];
  /** The link in the same mail: whichever of the two is used first ends the other. The code never outlasts the link. */
  link?: { digest: string; expiresAt: Date };
  /** Also issues a second code, for another recipient. The two are redeemed together or not at all. */
  withSecond?: boolean;
  /** Issues a code of ten letters (`AccountLimits.needsLongCode`). Not together with a second code. */
  isLong?: boolean;
}

export interface RedeemOptions {
  /** The binding that the code was issued with. With another binding the code is wrong. */
  binding?: readonly string[];
  /** The guess at the second code, if one was issued. */
  second?: CodeGuess;
  /** Limits that the guess consumes. Default: those of unknown devices. */
  rateLimits?: readonly RateLimit[];
  /** Limits that the right code resets, because it proves what they protect. */
  resets?: readonly RateLimit[];
  /** Whose user to read: an address, which costs no query, or a function. It is not called if a limit refuses the guess. */
  owner?: string | (() => Promise<StoredUser | null>);
}

export interface RedeemedCode {
  /** The metadata that the code was issued with. */
  metadata: Record<string, unknown>;
  /** The user that the option `owner` names, as read before the code was evaluated: a revocation since then voids a session. */
  owner: StoredUser | null;
  /** The user of the address `owner`, as read with the evaluation. Null if the option is not an address. */
  ownerAtProof: StoredUser | null;
}

export interface CodeGuess {
  code: string;
  /** Name of the input field that contained the guess. */
  field: string;
}

export interface IssuedCode {
  code: string;
  /** Present if `withSecond` is true. */
  secondCode?: string;
  expiresAt: Date;
  /** For the result of the send. */
  format: CodeFormat;
  /** Deletes the code. Call it if it could not be sent. */
  discard: () => Promise<void>;
}

export class OneTimeCodes {
  constructor(
    private readonly repository: Omit<OneTimeCodeRepository, 'attempt'>,
    private readonly fastPaths: Pick<FastPaths, 'attemptAndCorrect'>,
    private readonly keys: Keyring,
    private readonly limiter: Limiter,
    private readonly options: CodeOptions,
    private readonly clock: Clock,
    private readonly reportFailed: ReportFailedCode = () => undefined,
  ) {}

  /** The usual lifetime of a code in milliseconds. */
  get ttlMs(): number {
    return this.options.ttlMs;
  }

  /** Issues a code, which replaces the previous one of this purpose and subject. */
  async issueCode(
    purpose: CodePurpose,
    subject: string,
    {
      metadata = {},
      ttlMs = this.options.ttlMs,
      binding = [],
      withSecond = false,
      isLong = false,
      link,
    }: NewCodeOptions = {},
  ): Promise<IssuedCode> {
    const { code, format } = this.newCode(isLong);
    const secondCode = withSecond ? randomDigits(this.options.length) : undefined;
    const expiresAt = new Date(Math.min(this.clock() + ttlMs, link?.expiresAt.getTime() ?? Infinity));
    const linkDigest = link && { linkDigest: link.digest };
    const codes = secondCode === undefined ? [code] : [code, secondCode];
    const codeHash = codes
      .map((value, index) => this.hashes(purpose, subject, value, bindingAt(index, binding))[0])
      .join(separator);
    await this.repository.replace({ purpose, subject, codeHash, expiresAt, metadata, ...linkDigest });
    const discard = () => this.repository.discard(purpose, subject, codeHash);
    return { code, ...(secondCode !== undefined && { secondCode }), expiresAt, format, discard };
  }

  /**
   * Issues another code in place of one that was not used, and keeps its metadata.
   * @param options.until the code expires at this time at the latest, in milliseconds.
   * @throws CodeNotFoundError if there is none.
   */
  async renewCode(
    purpose: CodePurpose,
    subject: string,
    { binding, isLong, until }: { binding: readonly string[]; isLong: boolean; until: number },
  ): Promise<IssuedCode> {
    const { code, format } = this.newCode(isLong);
    const expiresAt = new Date(Math.min(this.clock() + this.options.ttlMs, until));
    const codeHash = this.hashes(purpose, subject, code, binding)[0]!;
    if (!(await this.repository.renew({ purpose, subject, codeHash, expiresAt })))
      throw new CodeNotFoundError();
    // What was stored with the code remains, for the next one.
    return { code, expiresAt, format, discard: async () => undefined };
  }

  private newCode(isLong: boolean): Pick<IssuedCode, 'code' | 'format'> {
    return isLong
      ? { code: randomCharacters(codeLetters, longCodeLength), format: { codeFormat: 'letters' } }
      : { code: randomDigits(this.options.length), format: {} };
  }

  /**
   * Consumes the code. Atomic: of parallel calls with the right code, one succeeds. Two codes that were issued together share their
   * guesses: neither is consumed unless both are right. The error names the field of the first wrong code, so it reveals something about
   * the second code only if the first is right.
   * A guess of ten letters is compared with long codes only, and any other with codes of digits only.
   * @throws RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError, in this order.
   */
  async redeemCode(
    purpose: CodePurpose,
    subject: string,
    code: string,
    ip?: string,
    options: RedeemOptions = {},
  ): Promise<RedeemedCode> {
    const { second, rateLimits = guessLimits(purpose, subject, ip) } = options;
    const first: CodeGuess = { code: parseCode(code), field: 'code' };
    const guesses = second ? [first, second] : [first];
    // One key per client: a flood from another client must not delay the owner.
    const turn = await this.limiter.turn(`${purpose} ${subject} ${ip}`);
    try {
      const { spent, user } = await this.consume(rateLimits, first.code, options.owner);
      let owner = user;
      try {
        if (typeof options.owner === 'function') owner = await options.owner();
        return { ...(await this.evaluate(purpose, subject, guesses, spent, options)), owner };
      } catch (error) {
        // A wrong code counts. Without a valid code there was nothing to guess, which must not lock the owner out: it still counts for
        // the client. A failure does not count.
        if (isRefusal(error)) await spent.refundAllButCaller();
        else if (!(error instanceof CodeInvalidError)) await spent.refund();
        this.reportFailed(purpose, owner?.id ?? subject, error);
        throw withAttemptedUser(error, owner?.id);
      }
    } finally {
      turn.end();
    }
  }

  /** Consumes the limits of a guess, and reads the user of an address. */
  private async consume(
    rateLimits: readonly RateLimit[],
    code: string,
    owner: RedeemOptions['owner'],
  ): Promise<Spending> {
    try {
      if (typeof owner === 'string') return await this.limiter.consumeAndFindUser(rateLimits, owner);
      return { spent: await this.limiter.consume(rateLimits), user: null };
    } catch (error) {
      // The next code that this client requests gives it new tries.
      throw error instanceof RateLimitError && isLongCode(code)
        ? new MaxAttemptsError(because(reasonOf(error) ?? 'max_attempts_exceeded'))
        : error;
    }
  }

  /** Consumes the code, and refunds the limits of a right guess in the same query. */
  private async evaluate(
    purpose: CodePurpose,
    subject: string,
    guesses: readonly CodeGuess[],
    spent: ConsumedLimits,
    { binding = [], owner, resets = [] }: RedeemOptions,
  ): Promise<Omit<RedeemedCode, 'owner'>> {
    const now = new Date(this.clock());
    const isLong = guesses.length === 1 && isLongCode(guesses[0]!.code);
    // A long code cannot be guessed. What could be done to it is to use up its tries, which are therefore counted per client.
    const maxAttempts = isLong ? maxLongAttempts : this.options.maxAttempts;
    // Computed before the attempt: the storage counts, compares and consumes in one step, or parallel guesses would all be evaluated.
    const hashes = guesses.map((guess, index) =>
      this.hashes(purpose, subject, guess.code, bindingAt(index, binding)),
    );
    const codeHashes = joined(hashes);
    const correction = spent.correction(resets);
    const attempt = { purpose, subject, codeHashes, isLong, maxAttempts, now };
    const outcome = await this.fastPaths.attemptAndCorrect({
      ...attempt,
      correction: correction.counters,
      ...(typeof owner === 'string' && { email: owner }),
    });
    if (outcome.status === 'consumed') correction.noteMade();
    if (outcome.status !== 'consumed' && outcome.status !== 'wrong') throw refusals[outcome.status]();
    const { codeHash, attempts, metadata } = outcome.code;
    // Compared again in constant time, because a database may have its own rules for comparing text.
    const isRight = codeHashes.some((hash) => constantTimeEqual(hash, codeHash));
    if (outcome.status === 'consumed' && isRight) return { metadata, ownerAtProof: outcome.user };
    const storedHashes = codeHash.split(separator);
    const isWrong = (_: CodeGuess, index: number) =>
      !hashes[index]?.some((hash) => constantTimeEqual(hash, storedHashes[index] ?? ''));
    const details = guesses.length > 1 ? { field: guesses.find(isWrong)?.field } : {};
    const left = Math.max(0, maxAttempts - attempts);
    throw new CodeInvalidError(isLong ? Math.min(left, spent.remaining) : left, details);
  }

  /** Returns MACs under every secret, the signing secret first. They are keyed, because an attacker can hash all million codes. */
  private hashes(purpose: CodePurpose, subject: string, code: string, binding: readonly string[]): string[] {
    const isLong = isLongCode(code);
    const value = isLong ? code.toUpperCase() : code;
    return this.keys
      .subkeys('one_time_code')
      .map((key) => mac(key, purpose, subject, value, ...binding).toString('base64url'))
      .map((hash) => (isLong ? longHashPrefix + hash : hash));
  }
}

/** The tries at a long code, of all clients together: a hundred clients with five each. */
const maxLongAttempts = 500;

/** Separates the hashes of two codes that are redeemed together. Base64url does not contain it. */
const separator = '.';

/** Returns the hashes of codes that were issued together, which is under the same secret. @param hashes by code and secret. */
function joined([first = [], ...others]: readonly (readonly string[])[]): string[] {
  return first.map((hash, secret) => [hash, ...others.map((each) => each[secret])].join(separator));
}

/** Binds a code to its position too: two codes in the wrong order are two wrong codes. */
function bindingAt(index: number, binding: readonly string[]): readonly string[] {
  return index === 0 ? binding : [...binding, String(index)];
}

const refusals = {
  missing: () => new CodeNotFoundError(),
  expired: () => new CodeExpiredError(),
  exhausted: () => new MaxAttemptsError(),
};

/** Returns whether the storage has not compared the guess. */
function isRefusal(error: unknown): boolean {
  return [CodeNotFoundError, CodeExpiredError, MaxAttemptsError].some((refusal) => error instanceof refusal);
}
