/** Password attempts: counted before they are evaluated, or parallel attempts would all be evaluated; every attempt has the same cost. */
import type { StoredUser } from '../../domain/user.js';
import { loginPairLimits } from '../../core/limits/rate-limits.js';
import type { ConsumedLimits } from '../../core/limits/consumed-limits.js';
import { queueClientOf } from '../../core/limits/fair-queue.js';
import { describeError } from '../../core/support/logger.js';
import type { PasswordPlace, PasswordVerifier } from '../../core/support/password-hasher.js';
import { isStorablePassword } from '../../core/support/password-policy.js';
import type { StartSession } from '../../core/sessions/new-session.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { EmailPasswordTools } from './options.js';

export class PasswordGuesses {
  constructor(
    private readonly passwords: PasswordVerifier,
    private readonly tools: Pick<EmailPasswordTools, 'accountLimits' | 'limiter' | 'logger' | 'storage'>,
  ) {}

  /**
   * Returns what `finish` makes of the user if the password is theirs, and null otherwise. The user is as read before the password is
   * checked: a reset in between makes what follows invalid. Sign-in and password change share one limit, or the second would allow more
   * attempts at the first.
   * @param subject the address, or what else the limits count for.
   * @param owner the user, or null for none, if the caller has read it. By default, the user with this address is read with the limits.
   * @param finish may start a session with `start`, which corrects the limits in the same query.
   * @throws RateLimitError.
   */
  async check<T>(
    subject: string,
    password: string,
    context: RequestContext,
    owner: { user: StoredUser | null } | undefined,
    finish: (user: StoredUser, start?: StartSession) => Promise<T>,
  ): Promise<T | null> {
    const { accountLimits, limiter } = this.tools;
    const { rateLimits, isKnownDevice } = await accountLimits.forLogin(subject, context, owner);
    // Counted before it waits: a client that has reached its limit occupies no slot of the queue.
    const attempt = (place: PasswordPlace) => {
      const evaluate = async (consumed: ConsumedLimits, user: StoredUser | null) => {
        await place.turn();
        // A password that cannot have been set is compared with the decoy, as for an unknown user.
        const isStorable = isStorablePassword(password);
        const hash = isStorable ? (user?.passwordHash ?? null) : null;
        const isRight = await place.verifyPassword(isStorable ? password : '', hash);
        if (!isRight && hash !== null) this.reportUnknownFormat(user, hash);
        return isRight && user && { consumed, user: await this.withRenewedHash(user, password, place) };
      };
      return owner
        ? limiter.withLimits(rateLimits, (consumed) => evaluate(consumed, owner.user))
        : limiter.withLimitsAndUser(rateLimits, subject, evaluate);
    };
    // After the mutex: attempts that wait for each other must not fill the queue that all clients share.
    const { ip } = context;
    const client = queueClientOf(ip, isKnownDevice);
    return limiter.serialize(`login ${subject} ${ip}`, async () => {
      const right = await this.passwords.withPlace(client, attempt);
      if (!right) return null;
      const { consumed, user } = right;
      return consumed.refundAndReset(loginPairLimits, (start) => finish(user, start));
    });
  }

  /** A hash that another system stored is otherwise a wrong password without a reason. */
  private reportUnknownFormat(user: StoredUser | null, hash: string): void {
    if (this.passwords.recognizes(hash)) return;
    this.tools.logger.error(
      { event: 'password_hash_unknown', userId: user?.id },
      'a stored password hash has a format that the hasher does not know: no password matches it',
    );
  }

  /** Returns the user with a hash of the configured cost. A failed rehash is logged and retried at the next sign-in. */
  private async withRenewedHash(
    user: StoredUser,
    password: string,
    place: PasswordPlace,
  ): Promise<StoredUser> {
    const { logger, storage } = this.tools;
    const { id, passwordHash: fromHash } = user;
    if (fromHash === null || !this.passwords.needsRehash(fromHash)) return user;
    try {
      const passwordHash = await place.hashPassword(password);
      // Not if the password was changed in the meantime; what follows then compares with the hash that was read.
      const isRenewed = await storage.users.renewPasswordHash(id, fromHash, passwordHash);
      return isRenewed ? { ...user, passwordHash } : user;
    } catch (error) {
      logger.warn({ err: describeError(error), userId: id }, 'a password hash could not be renewed');
      return user;
    }
  }
}
