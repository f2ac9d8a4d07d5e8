/** User names that users choose: read, set and removed by their users (docs/users.md). Administrators set them with `service.users`. */
import * as z from 'zod';
import { NotAuthorizedError, TokenInvalidError, UserNotFoundError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { usernameAttemptLimits } from '../core/limits/rate-limits.js';
import { capability } from '../core/support/capability.js';
import { parseInput } from '../core/support/input.js';
import { userIdInput } from '../core/support/input-types.js';
import { usernameTaken } from '../core/sign-ups/usernames.js';
import { parseContext, type RequestContext } from '../core/sessions/request-context.js';
import { lastSignInMethodError } from '../core/sessions/sign-in-methods.js';
import type { Toolkit } from '../core/toolkit.js';
import type { UserAdministrationRepository } from '../storage/user-administration-repository.js';
import { lazily } from '../runtime/load.js';
import { mustBeInPerson } from '../core/sessions/in-person.js';

/** Null removes the user name. */
export const changeUsernameInput = lazily(() =>
  z.object({ userId: userIdInput(), username: z.string().nullable() }),
);

export class UsernamesProvider {
  constructor(
    private readonly tools: Pick<
      Toolkit,
      | 'accountNotices'
      | 'clock'
      | 'events'
      | 'limiter'
      | 'logger'
      | 'storage'
      | 'usernameOwners'
      | 'usernames'
    >,
  ) {}

  /** @throws ProviderNotConfiguredError unless `usernames.enabled`. */
  assertEnabled(): void {
    this.tools.usernames.assertEnabled();
  }

  /** Returns the user name of a user, or null. @throws UserNotFoundError; ProviderNotConfiguredError. */
  async get(userId: string): Promise<{ username: string | null }> {
    const user = await this.users.find({ id: parseInput(userIdInput, userId) });
    if (!user) throw new UserNotFoundError();
    return { username: user.username };
  }

  /**
   * Sets or removes the user name. Changes are limited (`usernames.changes`); a refused one does not count.
   * @throws UserNotFoundError, RateLimitError; InvalidRequestError with the reason `username_taken`, `username_invalid` or
   * `username_reserved`, or `last_sign_in_method` if the user could no longer sign in; NotAuthorizedError for a guest;
   * TokenInvalidError if all sessions of the user ended in the meantime; ProviderNotConfiguredError.
   */
  async change(
    input: z.infer<ReturnType<typeof changeUsernameInput>>,
    context: RequestContext = {},
  ): Promise<{ username: string | null }> {
    const { accountNotices, clock, events, limiter, logger, usernameOwners, usernames } = this.tools;
    const { userId, username } = parseInput(changeUsernameInput, input);
    const { ip, sessionEpoch } = parseContext(context);
    mustBeInPerson(userId, context);
    const { users } = this;
    const changed = username === null ? null : usernames.parse(username);
    // Every attempt reveals whether a name is taken.
    await limiter.consume(usernameAttemptLimits(userId));
    const owner = await users.find({ id: userId });
    if (!owner) throw new UserNotFoundError();
    const spent = await limiter.consume(usernames.changeLimits(owner));
    try {
      if (changed && (await usernameOwners.isTaken(changed, userId))) throw usernameTaken();
      const outcome = await users.update(userId, new Date(clock()), (user) => {
        if (user.isGuest) throw new NotAuthorizedError(because('guest'));
        if (sessionEpoch !== undefined && user.epoch !== sessionEpoch)
          throw new TokenInvalidError(because('epoch_passed'));
        // Without an address, the user name is what the password belongs to.
        if (changed === null && user.email === null && user.passwordHash !== null)
          throw lastSignInMethodError();
        return { username: changed };
      });
      if (outcome.status === 'no_user') throw new UserNotFoundError();
      if (outcome.status !== 'updated') throw usernameTaken();
      logger.info({ event: 'username_changed', userId, ip }, 'a user changed the user name');
      accountNotices.send('username_changed', userId, context);
      events.emit('username.changed', { userId });
      return { username: outcome.user.username };
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  /** @throws ProviderNotConfiguredError, AdapterCapabilityError */
  private get users(): UserAdministrationRepository {
    this.assertEnabled();
    return capability(this.tools.storage, 'userAdministration');
  }
}
