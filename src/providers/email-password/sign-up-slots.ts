/** What every sign-up with a password does: it waits for a slot of the queue, consumes limits, and checks the password. */
import type { StoredUser } from '../../domain/user.js';
import type { Username } from '../../domain/username.js';
import {
  EmailExistsError,
  InternalError,
  InvalidRequestError,
  SignUpDisabledError,
  WeakPasswordError,
} from '../../errors/catalog.js';
import { queueClientOf } from '../../core/queues/fair-queue.js';
import { signUpLimits } from '../../core/limits/rate-limits.js';
import { capability } from '../../core/support/capability.js';
import { stored, type CreatedUser } from '../../core/sessions/new-user.js';
import { userCreated } from '../../core/sessions/sign-in.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { PasswordOwner } from '../../core/passwords/password-rules.js';
import type { PasswordPlace, PasswordVerifier } from '../../core/passwords/password-verifier.js';
import type { NewUser } from '../../storage/repositories.js';
import type { EmailPasswordTools } from './options.js';

export class SignUpSlots {
  constructor(
    private readonly tools: Pick<
      EmailPasswordTools,
      'changes' | 'limiter' | 'limits' | 'newPasswords' | 'signIn' | 'storage'
    >,
    private readonly passwords: PasswordVerifier,
  ) {}

  /**
   * Checks a new password and runs `work`, in a slot of the queue and within the sign-up limits. Both come before the check of
   * its content, which may call another server. A refused password or sign-up and a taken address or user name still count: they
   * cost a hash, call the application, or reveal an account. `work` receives the owner of the address, as read with the limits, and
   * what `before` has returned, which is called outside of the queue: another system that is slow must not keep others from it.
   */
  async run<T, Found = undefined>(
    password: string,
    account: PasswordOwner,
    ip: string | undefined,
    work: (place: PasswordPlace, owner: StoredUser | null, found: Found | undefined) => Promise<T>,
    before?: () => Promise<Found>,
  ): Promise<T> {
    const { limiter, limits, newPasswords } = this.tools;
    newPasswords.rules.checkForm(password);
    let place = this.passwords.enter(queueClientOf(ip));
    try {
      const ofSignUp = signUpLimits(limits.signUp, ip);
      const { spent, user: owner } =
        account.email === null
          ? { spent: await limiter.consume(ofSignUp), user: null }
          : await limiter.consumeAndFindUser(ofSignUp, account.email);
      try {
        let found: Found | undefined;
        if (before && !owner) {
          place.leave();
          found = await before();
          place = this.passwords.enter(queueClientOf(ip));
        }
        await place.turn();
        await newPasswords.rules.checkContent(password, account);
        return await work(place, owner, found);
      } catch (error) {
        if (!counts(error)) await spent.refund();
        throw error;
      }
    } finally {
      place.leave();
    }
  }

  async insert(
    user: NewUser,
    username: Username | null,
    context: RequestContext,
    method: string,
  ): Promise<CreatedUser | 'email_taken' | 'username_taken'> {
    const { changes, signIn, storage } = this.tools;
    // Custom adapters without user names still support sign-ups without them.
    if (!username) return (await signIn.insertUser(user, context, { method })) ?? 'email_taken';
    const named = { ...user, username, roles: user.roles ?? [] };
    const users = capability(storage, 'userAdministration');
    const status = await changes.commit(
      () => users.insert(named),
      (outcome) => (outcome === 'inserted' ? [userCreated(user.id, { method })] : []),
    );
    if (status === 'email_taken' || status === 'username_taken') return status;
    if (status !== 'inserted')
      throw new InternalError(undefined, 'A sign-up has no external id that could be taken.');
    return { user: { ...stored(user), username: username.name }, created: true };
  }
}

/** Returns whether an error is a refusal, which cost a hash, called the application, or revealed an account. */
function counts(error: unknown): boolean {
  const isTakenName = error instanceof InvalidRequestError && error.reason === 'username_taken';
  return (
    isTakenName ||
    [EmailExistsError, SignUpDisabledError, WeakPasswordError].some((refusal) => error instanceof refusal)
  );
}
