/**
 * From a proven mailbox to its user: found, created, or claimed. Whoever signed up with an address without proving it
 * may not be its owner, so the first proof removes what was set before it (docs/decisions/account-reclaim.md).
 */
import { uuidV7 } from '../crypto/random.js';
import type { StoredUser } from '../domain/user.js';
import { InternalError } from '../errors/catalog.js';
import type { NewUser, UserRepository } from '../storage/repositories.js';
import type { AccountLimits } from './account-limits.js';
import type { Clock } from './clock.js';
import type { EventBus } from './events.js';
import type { Logger } from './logger.js';
import type { RequestContext, SignIn } from './sign-in.js';

export interface ProvenUser {
  user: StoredUser;
  created: boolean;
}

export class MailboxProof {
  constructor(
    private readonly users: UserRepository,
    private readonly signIn: SignIn,
    private readonly limits: AccountLimits,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly events: EventBus,
  ) {}

  /** The user of an address before it is proven: its epoch is what the session that follows must still find. */
  look(email: string): Promise<StoredUser | null> {
    return this.users.findByEmail(email);
  }

  /**
   * The verified user of a proven address, whose limits are forgiven. `metadata` lands only on a user that this proof creates.
   * @param seen what `look` found before the proof was checked; a revocation since then makes the session void.
   */
  async resolve(
    email: string,
    metadata: Record<string, unknown>,
    context: RequestContext,
    seen: StoredUser | null,
  ): Promise<ProvenUser> {
    const proven = await this.findOrCreateUser(email, metadata, context, seen);
    await this.limits.forgive(email, context);
    return proven;
  }

  private async findOrCreateUser(
    email: string,
    metadata: Record<string, unknown>,
    context: RequestContext,
    seen: StoredUser | null,
  ): Promise<ProvenUser> {
    // Each round can lose a race (somebody else creates, claims or deletes the user) at most once in practice.
    for (let round = 0; round < 5; round += 1) {
      const found = await this.users.findByEmail(email);
      if (!found) {
        const fresh = this.newUser({ email, emailVerified: true, metadata });
        if (await this.users.insert(fresh)) return { user: stored(fresh), created: true };
      } else {
        const user = seen?.id === found.id ? { ...found, epoch: seen.epoch } : found;
        if (found.emailVerified) return { user, created: false };
        const verified = await this.verify(user, context);
        if (verified) return { user: verified, created: false };
      }
    }
    throw new InternalError(new Error('The user changed with every look at it.'));
  }

  newUser(fields: Pick<NewUser, 'email' | 'emailVerified' | 'metadata'> & Partial<NewUser>): NewUser {
    const now = this.clock();
    return { id: uuidV7(now), passwordHash: null, createdAt: new Date(now), ...fields };
  }

  /** Tells of a claim that the storage made, here or as part of a password reset. */
  reportClaim(userId: string): void {
    this.logger.warn({ event: 'user_claimed', userId }, 'an unverified account was claimed by its mailbox');
    this.events.emit('user.claimed', { userId });
  }

  /** @returns the user with the epoch that follows from the one given: what moved it further makes the session void. */
  private async verify(user: StoredUser, context: RequestContext): Promise<StoredUser | null> {
    const now = new Date(this.clock());
    // The honest newcomer, who signed up and confirms the address in the same browser, keeps the password.
    const isOwnSession = (await this.signIn.currentUserId(context)) === user.id;
    if (isOwnSession) {
      const verified = await this.users.markEmailVerified(user.id, now);
      return verified && { ...verified, epoch: user.epoch };
    }
    const claimed = await this.users.claim(user.id, now);
    if (!claimed) return null;
    this.reportClaim(user.id);
    // The claim itself raised the epoch by one.
    return { ...claimed, epoch: user.epoch + 1 };
  }
}

/** A user as the storage has it right after `insert`. */
export function stored(user: NewUser): StoredUser {
  return { ...user, updatedAt: user.createdAt, epoch: 0, sessionsValidAfter: null, totpEnabled: false };
}
