/** Checks of codes of a second factor: bounded, and each code accepted once. */
import type { Keyring } from '../../crypto/keys.js';
import { seal, unseal, type Unsealed } from '../../crypto/secret-box.js';
import { totpStepOf } from '../../crypto/totp-code.js';
import type { TotpApp } from '../../domain/totp.js';
import type { StoredUser } from '../../domain/user.js';
import { CodeInvalidError, CodeNotFoundError, MaxAttemptsError } from '../../errors/catalog.js';
import { because, reasonOf } from '../../errors/reasons.js';
import { isServiceError } from '../../errors/service-error.js';
import { secondFactorLimits, type SecondFactorGuess } from '../../core/limits/rate-limits.js';
import { codeFailed } from '../../core/support/failed-codes.js';
import { describeError } from '../../core/support/logger.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { TotpConfirmation, TotpRepository } from '../../storage/second-factor-repositories.js';
import { recoveryCodeHashes } from '../../crypto/recovery-codes.js';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'limiter' | 'logger'>;

/** The outcome of a guess. `remaining`: how many more wrong guesses are evaluated. */
export interface Guess {
  right: boolean;
  remaining: number;
}

/** The outcome of a guess at a recovery code. `left`: how many recovery codes the user has left after a right one. */
export interface RecoveryGuess extends Guess {
  left?: number;
}

/** A pending secret whose first code was right. */
export type RightConfirmation = Pick<TotpConfirmation, 'userId' | 'pendingSecret' | 'step' | 'now'>;

export class Guesses {
  constructor(
    private readonly enrollments: TotpRepository,
    private readonly tools: Tools,
  ) {}

  /**
   * Evaluates a guess, unless there were too many wrong ones. A right guess is not counted and does not reset the count.
   * @param name guesses of one name share the limit. @throws MaxAttemptsError
   */
  async make(name: SecondFactorGuess, userId: string, evaluate: () => Promise<boolean>): Promise<Guess> {
    const { events, limiter } = this.tools;
    const report = codeFailed(events);
    const turn = await limiter.turn(`${name} ${userId}`);
    try {
      const spent = await limiter.consume(secondFactorLimits(name, userId));
      let right = true;
      try {
        right = await evaluate();
      } finally {
        // A wrong guess counts, and neither a right one nor a failure.
        if (right) await spent.refund();
      }
      if (!right) report(name, userId, new CodeInvalidError(spent.remaining));
      return { right, remaining: spent.remaining };
    } catch (error) {
      // The same error as for every code; clients need not know exactly when the next guess is evaluated.
      if (!isServiceError(error) || error.code !== 'rate_limit_exceeded') throw error;
      const refusal = new MaxAttemptsError(because(reasonOf(error) ?? 'max_attempts_exceeded'));
      report(name, userId, refusal);
      throw refusal;
    } finally {
      turn.end();
    }
  }

  /** Codes of every app and recovery codes share one limit, or five attempts would be ten. */
  async code(keys: Keyring, user: StoredUser, code: string): Promise<Guess> {
    return this.make('totp', user.id, async () => {
      const apps = await this.enrollments.listApps(user.id);
      for (const app of apps) if (await this.isCodeOf(app, keys, code)) return true;
      return false;
    });
  }

  private async isCodeOf(app: TotpApp, keys: Keyring, code: string): Promise<boolean> {
    const { userId, secret: sealed } = app;
    const secret = this.open(keys, userId, sealed);
    const now = this.tools.clock();
    const step = secret && totpStepOf(secret.text, code, now);
    if (secret === null || step === null) return false;
    const isNew = await this.enrollments.advance(userId, sealed, step, new Date(now));
    // After a rotation, secrets move to the new key as they are used.
    if (isNew && !secret.isCurrent)
      await this.enrollments.reencrypt(userId, sealed, seal(keys, 'totp', userId, secret.text));
    if (isNew) return true;
    // A rotation of the key may have replaced the ciphertext since it was read.
    const stored = (await this.enrollments.listApps(userId)).find(({ id }) => id === app.id);
    return stored !== undefined && stored.secret !== sealed && this.isCodeOf(stored, keys, code);
  }

  /**
   * Checks the first code of a pending secret and calls `change` if it is right.
   * @throws CodeNotFoundError if no enrollment was begun; CodeInvalidError, MaxAttemptsError.
   */
  async confirm(
    keys: Keyring,
    userId: string,
    code: string,
    change: (confirmation: RightConfirmation) => Promise<void>,
  ): Promise<void> {
    const pendingSecret = (await this.enrollments.find(userId))?.pendingSecret ?? null;
    if (pendingSecret === null) throw new CodeNotFoundError(because('factor_missing'));
    const guess = await this.make('totp-confirm', userId, async () => {
      const secret = this.open(keys, userId, pendingSecret);
      const now = this.tools.clock();
      const step = secret && totpStepOf(secret.text, code, now);
      if (step === null) return false;
      await change({ userId, pendingSecret, step, now: new Date(now) });
      return true;
    });
    if (!guess.right) throw new CodeInvalidError(guess.remaining);
  }

  async recoveryCode(keys: Keyring, user: StoredUser, code: string): Promise<RecoveryGuess> {
    const hashes = recoveryCodeHashes(keys, user.id, code);
    let left: number | undefined;
    const guess = await this.make('totp', user.id, async () => {
      left = (await this.enrollments.consumeRecoveryCode(user.id, hashes))?.left;
      return left !== undefined;
    });
    return { ...guess, ...(left !== undefined && { left }) };
  }

  /** A secret that cannot be decrypted (null) fails the check; it never skips it. */
  open(keys: Keyring, userId: string, sealed: string): Unsealed | null {
    const secret = unseal(keys, 'totp', userId, sealed);
    if (secret) return secret;
    this.tools.logger.error(
      { event: 'totp_secret_unreadable', userId },
      'a TOTP secret could not be decrypted: is its key among encryptionKey and previousEncryptionKeys?',
    );
    return null;
  }

  /** Resets the count, which was about a removed secret. A failure is logged: the change has already been made. */
  async forget(userId: string): Promise<void> {
    const { limiter, logger } = this.tools;
    const budgets = [...secondFactorLimits('totp', userId), ...secondFactorLimits('totp-confirm', userId)];
    await limiter.reset(budgets).catch((error: unknown) => {
      logger.warn({ err: describeError(error), userId }, 'wrong codes of a user could not be forgotten');
    });
  }
}
