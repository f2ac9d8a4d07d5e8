/**
 * The step between a first factor and a session (specification 1, TOTP; docs/decisions/second-factor.md): if the account has a
 * second factor, a sign-in returns a short-lived token instead of a session. Every method of the second step opens that token.
 */
import type { Keyring } from '../../crypto/keys.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import {
  methodsAfter,
  usualMethods,
  type OfferedMethods,
  type SecondFactorMethod,
  type SecondStepMethods,
} from '../../domain/second-factor.js';
import type { StoredUser } from '../../domain/user.js';
import { NotAuthorizedError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { withAttemptedUser } from '../support/attempted-user.js';
import type { Clock } from '../support/clock.js';
import type { Limiter } from '../limits/limiter.js';

/** What a sign-in that requires a second factor returns instead of a session. The token is a secret of the browser. */
export interface PendingSignIn extends SecondStepMethods {
  token: string;
  expiresAt: Date;
}

/** A first factor that has been proven. */
export interface FirstFactor {
  user: StoredUser;
  /** The method of the first step. */
  method: string;
  /** Whether the browser keeps the session when it closes, as the first step requested. */
  remember: boolean;
  /** Identifies this sign-in: a code or a challenge that is bound to it is worth nothing in another one. */
  id: string;
  expiresAt: Date;
  /** Resolves true for the first call, and false for others: a pending sign-in can be completed once. Atomic. */
  use: () => Promise<boolean>;
}

interface Subject {
  userId: string;
  epoch: number;
  method: string;
  remember?: false;
}

/** Returns the context of the second step: either step can ask the browser to forget the session. */
export function contextAfter<Context extends { remember?: boolean }>(
  first: Pick<FirstFactor, 'remember'>,
  context: Context,
): Context {
  return { ...context, remember: first.remember && context.remember !== false };
}

const ttlMs = 5 * 60_000;

export class SecondFactor {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly keys: Keyring,
    private readonly limiter: Limiter,
    private readonly clock: Clock,
    private readonly offered: OfferedMethods,
  ) {}

  /**
   * Issues the token of a sign-in that requires a second factor.
   * @param user as read before the first factor was checked: a revocation since then voids the token.
   * @param context.remember kept for the second step.
   */
  async require(
    user: StoredUser,
    method: string,
    { remember }: { remember?: boolean } = {},
  ): Promise<PendingSignIn> {
    const expiresAt = this.clock() + ttlMs;
    const subject: Subject = {
      userId: user.id,
      epoch: user.epoch,
      method,
      ...(remember === false && { remember }),
    };
    const { token } = signToken(this.keys, 'second_factor', JSON.stringify(subject), expiresAt);
    return { token, expiresAt: new Date(expiresAt), ...(await this.methodsOf(user, method)) };
  }

  /**
   * Opens a pending sign-in.
   * @param by the method that is about to complete it.
   * @throws TokenInvalidError if the token is malformed or expired, or the user's sessions were revoked; NotAuthorizedError with the
   * reason `second_factor_unavailable` if the user cannot use this method in this sign-in.
   */
  async open(token: unknown, by?: SecondFactorMethod): Promise<FirstFactor> {
    const opened = openToken(this.keys, 'second_factor', token, this.clock());
    if (opened.status !== 'valid') throw new TokenInvalidError(because('pending_sign_in_ended'));
    const { userId, epoch, method, remember = true } = JSON.parse(opened.subject) as Subject;
    const user = await this.storage.users.findById(userId);
    if (!user || user.epoch !== epoch)
      throw withAttemptedUser(new TokenInvalidError(because('epoch_passed')), userId);
    const isUsual = by === undefined || usualMethods.methods.includes(by);
    if (!isUsual && !(await this.methodsOf(user, method)).methods.includes(by)) {
      throw withAttemptedUser(new NotAuthorizedError({ reason: 'second_factor_unavailable' }), userId);
    }
    return {
      user,
      method,
      remember,
      id: opened.digest,
      expiresAt: new Date(opened.expiresAt),
      use: () => this.limiter.isFirstUse('second_factor', opened.digest, ttlMs),
    };
  }

  /** Returns the methods with which a sign-in can be completed: without a query if the application offers only the authenticator app. */
  async methodsOf(user: StoredUser, firstMethod: string): Promise<SecondStepMethods> {
    const { email, passkey } = this.offered;
    const factors = email || passkey ? await this.storage.totp?.findFactors(user.id) : null;
    const { methods, preferred } = methodsAfter(firstMethod, user, factors ?? null, this.offered);
    return { methods: [...methods], preferred };
  }
}
