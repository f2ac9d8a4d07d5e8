/**
 * The gate between a first factor and a session (specification 1, TOTP; docs/decisions/second-factor.md): where the account has
 * a second factor, a sign-in gets this short token in place of a session, and nothing else.
 */
import type { Keyring } from '../crypto/keys.js';
import { openToken, signToken } from '../crypto/signed-token.js';
import type { StoredUser } from '../domain/user.js';
import { TokenInvalidError } from '../errors/catalog.js';
import type { UserRepository } from '../storage/repositories.js';
import type { Clock } from './clock.js';
import type { Limiter } from './limiter.js';

/** What a sign-in that waits for its second factor holds in place of a session. A secret of that browser. */
export interface PendingSignIn {
  token: string;
  expiresAt: Date;
}

/** A first factor that was shown, and by whom. */
export interface FirstFactor {
  user: StoredUser;
  method: string;
  /** True for the first who asks: a pending sign-in is finished once. */
  use: () => Promise<boolean>;
}

interface Subject {
  userId: string;
  epoch: number;
  method: string;
}

const ttlMs = 5 * 60_000;

export class SecondFactor {
  constructor(
    private readonly users: UserRepository,
    private readonly keys: Keyring,
    private readonly limiter: Limiter,
    private readonly clock: Clock,
  ) {}

  /** @param user as read before the first factor was checked: a revocation since then makes the token void. */
  require(user: StoredUser, method: string): PendingSignIn {
    const expiresAt = this.clock() + ttlMs;
    const subject: Subject = { userId: user.id, epoch: user.epoch, method };
    const { token } = signToken(this.keys, 'second_factor', JSON.stringify(subject), expiresAt);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** @throws TokenInvalidError for a token that is none, too old, or from before a revocation. */
  async open(token: unknown): Promise<FirstFactor> {
    const opened = openToken(this.keys, 'second_factor', token, this.clock());
    if (opened.status !== 'valid') throw new TokenInvalidError();
    const { userId, epoch, method } = JSON.parse(opened.subject) as Subject;
    const user = await this.users.findById(userId);
    if (!user || user.epoch !== epoch) throw new TokenInvalidError();
    return { user, method, use: () => this.limiter.first('second_factor', opened.digest, ttlMs) };
  }
}
