/** One-time codes: made, kept as MACs, tried a bounded number of times (specification 3.1, 3.2; docs/decisions/codes.md). */
import { constantTimeEqual, mac } from '../crypto/digest.js';
import type { Keyring } from '../crypto/keys.js';
import { randomDigits } from '../crypto/random.js';
import type { CodePurpose } from '../domain/one-time-code.js';
import {
  CodeExpiredError,
  CodeInvalidError,
  CodeNotFoundError,
  MaxAttemptsError,
} from '../errors/catalog.js';
import type { OneTimeCodeRepository } from '../storage/repositories.js';
import { guessBudgets } from './budgets.js';
import type { Clock } from './clock.js';
import { parseCode } from './input.js';
import type { Budget, Limiter } from './limiter.js';

export interface CodeOptions {
  length: number;
  ttlMs: number;
  maxAttempts: number;
}

export interface NewCodeOptions {
  /** Kept with the code, and returned when it is redeemed. */
  metadata?: Record<string, unknown>;
  /** Default `code.ttlMs`. */
  ttlMs?: number;
  /** What must still be so when the code comes back, beside its subject: part of what is hashed. */
  binding?: readonly string[];
  /** Whether a second code is made, for another recipient: the two are redeemed together or not at all. */
  withSecond?: boolean;
}

export interface RedeemOptions {
  /** As when the code was issued: with another binding it is a wrong code. */
  binding?: readonly string[];
  /** The guess at the second code, if one was issued. */
  second?: CodeGuess;
  /** Which limits count. Default: those of strangers. */
  budgets?: readonly Budget[];
  /** Called before the code is looked at, and not for a try that a limit refuses. */
  before?: () => Promise<void>;
}

export interface CodeGuess {
  code: string;
  /** The input field that the guess came in. */
  field: string;
}

export interface IssuedCode {
  code: string;
  /** Present if it was asked for. */
  secondCode?: string;
  expiresAt: Date;
  /** Takes the code back: its send failed. */
  discard: () => Promise<void>;
}

export class OneTimeCodes {
  constructor(
    private readonly repository: OneTimeCodeRepository,
    private readonly keys: Keyring,
    private readonly limiter: Limiter,
    private readonly options: CodeOptions,
    private readonly clock: Clock,
  ) {}

  /** A new code in place of the old one. */
  async issue(
    purpose: CodePurpose,
    subject: string,
    { metadata = {}, ttlMs = this.options.ttlMs, binding = [], withSecond = false }: NewCodeOptions = {},
  ): Promise<IssuedCode> {
    const code = randomDigits(this.options.length);
    const secondCode = withSecond ? randomDigits(this.options.length) : undefined;
    const expiresAt = new Date(this.clock() + ttlMs);
    const codes = secondCode === undefined ? [code] : [code, secondCode];
    const codeHash = codes
      .map((each, index) => this.hashes(purpose, subject, each, bindingAt(index, binding))[0])
      .join(separator);
    await this.repository.replace({ purpose, subject, codeHash, expiresAt, metadata });
    const discard = () => this.repository.discard(purpose, subject, codeHash);
    return { code, ...(secondCode !== undefined && { secondCode }), expiresAt, discard };
  }

  /**
   * Consumes the code, once: of parallel calls with the right code one succeeds. Two codes that were issued together share one try: neither
   * is consumed unless both are right, and the error names the field of the first that is wrong, so a guess at the second is only
   * evaluated behind a right first one.
   * @returns the metadata given when it was issued.
   * @throws RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError, in this order.
   */
  async redeem(
    purpose: CodePurpose,
    subject: string,
    code: string,
    ip?: string,
    { binding = [], second, budgets = guessBudgets(purpose, subject, ip), before }: RedeemOptions = {},
  ): Promise<Record<string, unknown>> {
    const first: CodeGuess = { code: parseCode(code), field: 'code' };
    const guesses = second ? [first, second] : [first];
    // A lane per client: a flood from elsewhere must not stand in the owner's way.
    const lane = `${purpose} ${subject} ${ip}`;
    const tried = await this.limiter.attempt(lane, budgets, async (charge) => {
      await before?.();
      const outcome = await this.attempt(purpose, subject, guesses, binding);
      if (!(outcome instanceof Error)) await charge.refund();
      // Without a code there was nothing to guess, which must not lock the owner out. It is no free request, though.
      else if (!(outcome instanceof CodeInvalidError)) await charge.refundAllButCaller();
      return outcome;
    });
    if (tried instanceof Error) throw tried;
    return tried;
  }

  private async attempt(
    purpose: CodePurpose,
    subject: string,
    guesses: readonly CodeGuess[],
    binding: readonly string[],
  ) {
    const now = new Date(this.clock());
    const { maxAttempts } = this.options;
    // The slot is taken before anything is compared, else parallel guesses would all be evaluated.
    const reservation = await this.repository.reserveAttempt(purpose, subject, maxAttempts, now);
    if (reservation.status !== 'reserved') return refusals[reservation.status]();
    const { codeHash, attempts, metadata } = reservation.code;
    const stored = codeHash.split(separator);
    const wrong = guesses.find(({ code }, index) => {
      const hashes = this.hashes(purpose, subject, code, bindingAt(index, binding));
      return !hashes.some((hash) => constantTimeEqual(hash, stored[index] ?? ''));
    });
    if (wrong || stored.length !== guesses.length) {
      const about = guesses.length > 1 ? { field: wrong?.field } : {};
      return new CodeInvalidError(Math.max(0, maxAttempts - attempts), about);
    }
    const won = await this.repository.consume(purpose, subject, codeHash, now);
    return won ? metadata : new CodeNotFoundError();
  }

  /** MACs under every secret, the signing one first. Keyed, because a million codes fall to a plain hash at once. */
  private hashes(purpose: CodePurpose, subject: string, code: string, binding: readonly string[]): string[] {
    return this.keys
      .subkeys('one_time_code')
      .map((key) => mac(key, purpose, subject, code, ...binding).toString('base64url'));
  }
}

/** Between the hashes of two codes that are redeemed together. Base64url does not have it. */
const separator = '.';

/** Bound to its place as well: two codes in the wrong order are two wrong codes. */
function bindingAt(index: number, binding: readonly string[]): readonly string[] {
  return index === 0 ? binding : [...binding, String(index)];
}

const refusals = {
  missing: () => new CodeNotFoundError(),
  expired: () => new CodeExpiredError(),
  exhausted: () => new MaxAttemptsError(),
};
