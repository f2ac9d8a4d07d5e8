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
import type { Limiter } from './limiter.js';

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
}

export interface IssuedCode {
  code: string;
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
    { metadata = {}, ttlMs = this.options.ttlMs, binding = [] }: NewCodeOptions = {},
  ): Promise<IssuedCode> {
    const code = this.draw();
    const expiresAt = new Date(this.clock() + ttlMs);
    const [codeHash] = this.hashes(purpose, subject, code, binding) as [string];
    await this.repository.replace({ purpose, subject, codeHash, expiresAt, metadata });
    return { code, expiresAt, discard: () => this.repository.discard(purpose, subject, codeHash) };
  }

  /** Digits that nothing is kept of: a second code, for the binding of a first one. */
  draw(): string {
    return randomDigits(this.options.length);
  }

  /**
   * Consumes the code, once: of parallel calls with the right code one succeeds. With another binding than it was issued with, it
   * is a wrong code.
   * @returns the metadata given when it was issued.
   * @throws RateLimitError, CodeNotFoundError, CodeExpiredError, MaxAttemptsError, CodeInvalidError, in this order.
   */
  async redeem(
    purpose: CodePurpose,
    subject: string,
    code: string,
    ip?: string,
    binding: readonly string[] = [],
  ): Promise<Record<string, unknown>> {
    const guess = parseCode(code);
    // A lane per client: a flood from elsewhere must not stand in the owner's way.
    const lane = `${purpose} ${subject} ${ip}`;
    const tried = await this.limiter.attempt(lane, guessBudgets(purpose, subject, ip), async (charge) => {
      const outcome = await this.attempt(purpose, subject, guess, binding);
      // Only a wrong guess stays charged: without a code there was nothing to guess.
      if (!(outcome instanceof CodeInvalidError)) await charge.refund();
      return outcome;
    });
    if (tried instanceof Error) throw tried;
    return tried;
  }

  private async attempt(purpose: CodePurpose, subject: string, guess: string, binding: readonly string[]) {
    const now = new Date(this.clock());
    const { maxAttempts } = this.options;
    // The slot is taken before anything is compared, else parallel guesses would all be evaluated.
    const reservation = await this.repository.reserveAttempt(purpose, subject, maxAttempts, now);
    if (reservation.status !== 'reserved') return refusals[reservation.status]();
    const { codeHash, attempts, metadata } = reservation.code;
    const hashes = this.hashes(purpose, subject, guess, binding);
    if (!hashes.some((hash) => constantTimeEqual(hash, codeHash))) {
      return new CodeInvalidError(Math.max(0, maxAttempts - attempts));
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

const refusals = {
  missing: () => new CodeNotFoundError(),
  expired: () => new CodeExpiredError(),
  exhausted: () => new MaxAttemptsError(),
};
