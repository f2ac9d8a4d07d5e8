/**
 * The external identities, including phone numbers, that a user can sign in with: lists them, and unlinks them unless that would
 * lock the user out. Each provider links its own.
 */
import type { ServiceIdentity } from '../domain/identity.js';
import { parseId } from '../core/support/input-types.js';
import { existingUser } from '../core/sessions/existing-user.js';
import { parseContext, type RequestContext } from '../core/sessions/request-context.js';
import { canSignIn, lastSignInMethodError } from '../core/sessions/sign-in-methods.js';
import type { Toolkit } from '../core/toolkit.js';
import type { SignInMethods } from '../storage/repositories.js';
import { mustBeInPerson } from '../core/sessions/in-person.js';

export class IdentitiesProvider {
  /** Whether the user could still sign in with these methods. A password requires an address, so the address covers both. */
  readonly canSignIn = (methods: SignInMethods): boolean => canSignIn(this.tools.signInMethods, methods);

  constructor(
    private readonly tools: Pick<Toolkit, 'changes' | 'phoneNotices' | 'signInMethods' | 'storage'>,
  ) {}

  /** Returns the identities of a user, oldest first. @throws UserNotFoundError */
  async list(userId: string, context?: RequestContext): Promise<ServiceIdentity[]> {
    const { identities, users } = this.tools.storage;
    return identities.listForUser((await existingUser(users, userId, context)).id);
  }

  /**
   * Unlinks an identity from its user. An unknown identity, or one of another user, is ignored.
   * @throws UserNotFoundError; InvalidRequestError with the reason `last_sign_in_method` if the user could no longer sign in.
   */
  async unlink(userId: string, identityId: string, context: RequestContext = {}): Promise<void> {
    const { changes, phoneNotices, storage } = this.tools;
    parseId(identityId, 'identityId');
    context = parseContext(context);
    mustBeInPerson(userId, context);
    const user = await existingUser(storage.users, userId);
    const { id } = user;
    const outcome = await changes.commit(
      () => storage.identities.unlink(id, identityId, this.canSignIn),
      (unlinked) =>
        unlinked.status === 'unlinked'
          ? [['identity.unlinked', { userId: id, provider: unlinked.identity.provider }]]
          : [],
    );
    if (outcome.status === 'refused') throw lastSignInMethodError();
    if (outcome.status === 'unlinked') {
      phoneNotices.send(user, 'removed', outcome.identity, context);
    }
  }
}
