/**
 * The accounts elsewhere, phone numbers among them, that a user can sign in with: listed, and taken off again unless that would lock
 * the user out. Linking is the business of each provider.
 */
import type { ServiceIdentity } from '../domain/identity.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { existingUser } from '../kit/existing-user.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { WaysIn } from '../storage/repositories.js';

/** What the configuration lets people sign in with: an identity that no provider reads any more is no way in. */
export interface SignInMethods {
  /** By a code, a link, or a password, which a mailed link can set. */
  byMail: boolean;
  byPasskey: boolean;
  /** `provider` of the identities that count. */
  providers: ReadonlySet<string>;
}

export class IdentitiesProvider {
  /** The rule on last ways in: whether these let their user sign in. A password needs an address, so the address speaks for both. */
  readonly letsIn = ({ user, identities, passkeys }: WaysIn): boolean => {
    const { byMail, byPasskey, providers } = this.methods;
    return (
      (byMail && user.email !== null) ||
      (byPasskey && passkeys > 0) ||
      identities.some(({ provider }) => providers.has(provider))
    );
  };

  constructor(
    private readonly methods: SignInMethods,
    private readonly tools: Pick<Toolkit, 'events' | 'storage'>,
  ) {}

  /** Oldest first. @throws UserNotFoundError */
  async list(userId: string): Promise<ServiceIdentity[]> {
    const { identities, users } = this.tools.storage;
    return identities.listForUser((await existingUser(users, userId)).id);
  }

  /**
   * Takes an identity off its user. One that is gone, or is somebody else's, is no error.
   * @throws UserNotFoundError; InvalidRequestError when the user would have no way left to sign in.
   */
  async unlink(userId: string, identityId: string): Promise<void> {
    const { events, storage } = this.tools;
    if (typeof identityId !== 'string') throw new InvalidRequestError('identityId must be a string.');
    const { id } = await existingUser(storage.users, userId);
    const outcome = await storage.identities.unlink(id, identityId, this.letsIn);
    if (outcome.status === 'refused')
      throw new InvalidRequestError('This is the last way to sign in to the account.');
    if (outcome.status === 'unlinked') {
      events.emit('identity.unlinked', { userId: id, provider: outcome.identity.provider });
    }
  }
}
