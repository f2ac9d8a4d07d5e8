/** Tries of a password: charged before it is looked at, or parallel ones would all be evaluated; at one cost whoever it is for. */
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { loginPairBudgets } from '../../kit/budgets.js';
import { queueClientOf } from '../../kit/fair-queue.js';
import { describeError } from '../../kit/logger.js';
import type { PasswordPlace, PasswordVerifier } from '../../kit/password-hasher.js';
import { isStorablePassword } from '../../kit/password-policy.js';
import type { RequestContext } from '../../kit/sign-in.js';
import type { EmailPasswordTools } from './options.js';

export class PasswordGuesses {
  constructor(
    private readonly passwords: PasswordVerifier,
    private readonly tools: Pick<EmailPasswordTools, 'accountLimits' | 'limiter' | 'logger' | 'storage'>,
  ) {}

  /**
   * The user if the password is theirs. Asked where somebody signs in and where they change it: one budget, or the second
   * would be more tries for the first.
   * @param find reads the user, before the password is checked: a reset in between makes what follows void.
   * @throws InvalidRequestError, RateLimitError.
   */
  async check(
    address: string,
    password: unknown,
    context: RequestContext,
    find: () => Promise<StoredUser | null>,
  ): Promise<StoredUser | null> {
    const { accountLimits, limiter } = this.tools;
    if (typeof password !== 'string') throw new InvalidRequestError('password must be a string.');
    const { budgets, isKnownDevice } = await accountLimits.login(address, context);
    // Charged before it waits: a client whose limit is used up keeps no place in the queue.
    const attempt = (place: PasswordPlace) =>
      limiter.spend(budgets, async (charge) => {
        await place.turn();
        const user = await find();
        // A password that cannot have been set is compared with the decoy, as for a user who is not there.
        const isStorable = isStorablePassword(password);
        const hash = isStorable ? (user?.passwordHash ?? null) : null;
        if (!(await place.verify(isStorable ? password : '', hash))) return null;
        await charge.forgive(...loginPairBudgets);
        return user && this.withRenewedHash(user, password, place);
      });
    // Behind the lane: attempts that wait for each other must not fill the queue that all clients share.
    const { ip } = context;
    const client = queueClientOf(ip, isKnownDevice);
    return limiter.inLane(`login ${address} ${ip}`, () => this.passwords.withPlace(client, attempt));
  }

  /** The user with a hash of the configured cost. A renewal that fails is logged and left to the next sign-in. */
  private async withRenewedHash(
    user: StoredUser,
    password: string,
    place: PasswordPlace,
  ): Promise<StoredUser> {
    const { logger, storage } = this.tools;
    const { id, passwordHash: fromHash } = user;
    if (fromHash === null || !this.passwords.needsRehash(fromHash)) return user;
    try {
      const passwordHash = await place.hash(password);
      // Not if the password was changed in the meantime; what follows then compares with the hash that was read.
      const isRenewed = await storage.users.renewPasswordHash(id, fromHash, passwordHash);
      return isRenewed ? { ...user, passwordHash } : user;
    } catch (error) {
      logger.warn({ err: describeError(error), userId: id }, 'a password hash could not be renewed');
      return user;
    }
  }
}
