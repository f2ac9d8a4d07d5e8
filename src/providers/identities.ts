/**
 * The accounts elsewhere, phone numbers among them, that a user can sign in with: listed, and taken off again unless that would lock
 * the user out. Linking is the business of each provider.
 */
import type { ServiceIdentity } from '../domain/identity.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { existingUser } from '../kit/existing-user.js';
import type { RequestContext } from '../kit/sign-in.js';
import { canSignIn, lastSignInMethodError } from '../kit/sign-in-methods.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { WaysIn } from '../storage/repositories.js';

export class IdentitiesProvider {
  /** The rule on last ways in: whether these let their user sign in. A password needs an address, so the address speaks for both. */
  readonly letsIn = (left: WaysIn): boolean => canSignIn(this.tools.signInMethods, left);

  constructor(private readonly tools: Pick<Toolkit, 'events' | 'signInMethods' | 'storage'>) {}

  /** Oldest first. @throws UserNotFoundError */
  async list(userId: string, context?: RequestContext): Promise<ServiceIdentity[]> {
    const { identities, users } = this.tools.storage;
    return identities.listForUser((await existingUser(users, userId, context)).id);
  }

  /**
   * Takes an identity off its user. One that is gone, or is somebody else's, is no error.
   * @throws UserNotFoundError; InvalidRequestError with the reason `last_sign_in_method` if the user could no longer sign in.
   */
  async unlink(userId: string, identityId: string): Promise<void> {
    const { events, storage } = this.tools;
    if (typeof identityId !== 'string') throw new InvalidRequestError('identityId must be a string.');
    const { id } = await existingUser(storage.users, userId);
    const outcome = await storage.identities.unlink(id, identityId, this.letsIn);
    if (outcome.status === 'refused') throw lastSignInMethodError();
    if (outcome.status === 'unlinked') {
      events.emit('identity.unlinked', { userId: id, provider: outcome.identity.provider });
    }
  }
}
