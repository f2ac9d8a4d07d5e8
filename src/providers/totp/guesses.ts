/** Checks of codes of a second factor: bounded, and each code accepted once. */
import type { Keyring } from '../../crypto/keys.js';
import { seal, unseal } from '../../crypto/secret-box.js';
import { totpStepOf } from '../../crypto/totp-code.js';
import type { StoredUser } from '../../domain/user.js';
import { MaxAttemptsError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import { secondFactorBudgets } from '../../kit/budgets.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { TotpRepository } from '../../storage/pro-repositories.js';
import { recoveryCodeHashes } from './recovery-codes.js';

type Tools = Pick<Toolkit, 'clock' | 'limiter' | 'logger'>;

/** What became of a guess. `remaining`: wrong ones that are still evaluated. */
export interface Guess {
  right: boolean;
  remaining: number;
}

export class Guesses {
  constructor(
    private readonly enrollments: TotpRepository,
    private readonly tools: Tools,
  ) {}

  /**
   * Evaluates a guess, if there were not too many wrong ones. A right one is not charged, nor forgives the wrong ones.
   * @param name guesses of one name share the limit. @throws MaxAttemptsError
   */
  async make(name: string, userId: string, evaluate: () => Promise<boolean>): Promise<Guess> {
    try {
      return await this.tools.limiter.attempt(
        `${name} ${userId}`,
        secondFactorBudgets(name, userId),
        async (charge) => {
          const right = await evaluate();
          if (right) await charge.refund();
          return { right, remaining: charge.remaining };
        },
      );
    } catch (error) {
      // How it says so for every code that is typed; when the next is evaluated, no client needs to know to the millisecond.
      if (isServiceError(error) && error.code === 'rate_limit_exceeded') throw new MaxAttemptsError();
      throw error;
    }
  }

  /** Codes of the app and recovery codes share one limit, or five tries would be ten. */
  async code(keys: Keyring, user: StoredUser, code: string): Promise<Guess> {
    return this.make('totp', user.id, async () => {
      const sealed = (await this.enrollments.find(user.id))?.secret ?? null;
      const step = sealed === null ? null : this.stepOf(keys, user.id, sealed, code);
      if (sealed === null || step === null) return false;
      const isNew = await this.enrollments.advance(user.id, sealed, step);
      if (isNew) await this.sealAnew(keys, user.id, sealed);
      return isNew;
    });
  }

  async recoveryCode(keys: Keyring, user: StoredUser, code: string): Promise<Guess> {
    const hashes = recoveryCodeHashes(keys, user.id, code);
    return this.make('totp', user.id, () => this.enrollments.consumeRecoveryCode(user.id, hashes));
  }

  /** The step whose code this is. A secret that does not open fails the check; it is never a reason to skip it. */
  stepOf(keys: Keyring, userId: string, sealed: string, code: string): number | null {
    const secret = unseal(keys, 'totp', userId, sealed);
    if (secret) return totpStepOf(secret.text, code, this.tools.clock());
    this.tools.logger.error(
      { event: 'totp_secret_unreadable', userId },
      'a TOTP secret could not be decrypted: is its key among encryptionKey and previousEncryptionKeys?',
    );
    return null;
  }

  /** After a rotation, secrets move to the new key as they are used. */
  private async sealAnew(keys: Keyring, userId: string, sealed: string): Promise<void> {
    const secret = unseal(keys, 'totp', userId, sealed);
    if (!secret || secret.isCurrent) return;
    await this.enrollments.reencrypt(userId, sealed, seal(keys, 'totp', userId, secret.text));
  }
}
