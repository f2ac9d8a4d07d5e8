/**
 * The step between a first factor and a session (specification 1, TOTP; docs/decisions/second-factor.md): if the account has a
 * second factor, a sign-in returns a short-lived token instead of a session.
 */
import type { Keyring } from '../../crypto/keys.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import type { StoredUser } from '../../domain/user.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import type { UserRepository } from '../../storage/repositories.js';
import type { Clock } from '../support/clock.js';
import type { Limiter } from '../limits/limiter.js';

/** What a sign-in that requires a second factor returns instead of a session. The token is a secret of the browser. */
export interface PendingSignIn {
  token: string;
  expiresAt: Date;
}

/** A first factor that has been proven. */
export interface FirstFactor {
  user: StoredUser;
  method: string;
  /** Whether the browser keeps the session when it closes, as the first step requested. */
  remember: boolean;
  /** Resolves true for the first call, and false for others: a pending sign-in can be completed once. Atomic. */
  use: () => Promise<boolean>;
}

interface Subject {
  userId: string;
  epoch: number;
  method: string;
  remember?: false;
}

const ttlMs = 5 * 60_000;

export class SecondFactor {
  constructor(
    private readonly users: UserRepository,
    private readonly keys: Keyring,
    private readonly limiter: Limiter,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues the token of a sign-in that requires a second factor.
   * @param user as read before the first factor was checked: a revocation since then voids the token.
   * @param context.remember kept for the second step.
   */
  require(user: StoredUser, method: string, { remember }: { remember?: boolean } = {}): PendingSignIn {
    const expiresAt = this.clock() + ttlMs;
    const subject: Subject = {
      userId: user.id,
      epoch: user.epoch,
      method,
      ...(remember === false && { remember }),
    };
    const { token } = signToken(this.keys, 'second_factor', JSON.stringify(subject), expiresAt);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** Opens a pending sign-in. @throws TokenInvalidError if the token is malformed or expired, or the user's sessions were revoked. */
  async open(token: unknown): Promise<FirstFactor> {
    const opened = openToken(this.keys, 'second_factor', token, this.clock());
    if (opened.status !== 'valid') throw new TokenInvalidError();
    const { userId, epoch, method, remember = true } = JSON.parse(opened.subject) as Subject;
    const user = await this.users.findById(userId);
    if (!user || user.epoch !== epoch) throw new TokenInvalidError();
    const use = () => this.limiter.isFirstUse('second_factor', opened.digest, ttlMs);
    return { user, method, remember, use };
  }
}
