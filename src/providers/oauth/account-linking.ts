/**
 * Maps a provider's profile to a user (docs/decisions/account-linking.md): the identity by
 * (provider, subject) first; by address only when the provider has verified it, and never into an account whose own
 * address is unproven without claiming it.
 */
import { parseEmailAddress } from '../../domain/email-address.js';
import {
  toPersonProfile,
  toSignUpProfile,
  type IdentityProfile,
  type ServiceIdentity,
} from '../../domain/identity.js';
import type { StoredUser } from '../../domain/user.js';
import { InternalError, OAuthError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import type { ProvenSignUp, ProvenUser } from '../../core/sign-ups/mailbox-proof.js';
import { insertWithIdentity, newIdentity } from '../../core/sessions/new-user.js';
import { userCreated } from '../../core/sessions/sign-in.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import { withAttemptedUser } from '../../core/support/attempted-user.js';
import { describeError } from '../../core/support/logger.js';
import type { Toolkit } from '../../core/toolkit.js';
import { oauthFailure } from './failure.js';
import { metadataOf, type ProfileToMetadata } from './profile.js';

/**
 * How an address that the provider has verified is treated: `verified-email` signs in to the account that has the address, `explicit` never
 * touches an existing account.
 */
export type Linking = 'explicit' | 'verified-email';

type Tools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'accountNotices'
  | 'clock'
  | 'changes'
  | 'logger'
  | 'mailboxProof'
  | 'signUpPolicy'
  | 'storage'
>;

/** The options of a provider about accounts. */
export interface AccountOptions {
  linking: Linking;
  profileToMetadata?: ProfileToMetadata | boolean | undefined;
}

export class AccountLinking {
  constructor(
    private readonly provider: string,
    private readonly options: AccountOptions,
    private readonly tools: Tools,
  ) {}

  /**
   * @throws OAuthError with the reason `email_exists` if `linking` is `explicit`, the provider has verified the address, and the
   * address has an account; SignUpDisabledError if the sign-in would create a user, and the policy refuses.
   */
  async resolve(profile: IdentityProfile, context: RequestContext): Promise<ProvenUser> {
    const { identities } = this.tools.storage;
    // A round fails only because of a parallel sign-in of the same person, whose identity the next round finds, or of a reclaim or
    // a revocation, after which the next round reads the owner of the address again.
    for (let round = 0; round < 5; round += 1) {
      const known = await identities.findUser(this.provider, profile.id);
      if (known) return { user: known, created: false };
      const email = verifiedAddress(profile);
      const resolved =
        email === null ? await this.create(profile, null, context) : await this.link(profile, email, context);
      if (resolved) return resolved;
    }
    throw new InternalError(new Error('The identity changed on every attempt.'));
  }

  /**
   * Links the account at the provider to the user who requested it, as read at that time. Linking it again changes nothing.
   * @throws OAuthError if another user has linked it; TokenInvalidError if every session of the user ended in the meantime;
   * UserNotFoundError if the user was deleted.
   */
  async linkTo(
    user: StoredUser,
    profile: IdentityProfile,
    context: RequestContext = {},
  ): Promise<ServiceIdentity> {
    const { id: userId, epoch } = user;
    const { accountNotices, storage } = this.tools;
    const identity = this.identity(profile, userId);
    if (await this.store(identity, epoch)) {
      accountNotices.sendIdentity('identity_linked', user, this.provider, context);
      return identity;
    }
    const owner = await storage.identities.findUser(this.provider, profile.id);
    if (!owner) {
      await existingUser(storage.users, userId);
      throw new TokenInvalidError(because('epoch_passed'));
    }
    const own = owner.id === userId ? await storage.identities.listForUser(userId) : [];
    const known = own.find(
      (each) => each.provider === this.provider && each.providerAccountId === profile.id,
    );
    if (!known)
      throw new OAuthError('The account at the provider is linked to another user.', {
        reason: 'identity_linked',
      });
    return known;
  }

  /**
   * @param email null creates a separate user without an address: an unverified address must neither touch nor reserve an account.
   */
  private async create(
    profile: IdentityProfile,
    email: string | null,
    context: RequestContext,
  ): Promise<ProvenUser | null> {
    const { changes, clock, signUpPolicy, storage } = this.tools;
    const signUp = { ...(await this.signUpOf(profile)), email, emailVerified: email !== null };
    const user = await signUpPolicy.newUser(signUp, context);
    const event = userCreated(user.id, { method: this.provider, profile: toPersonProfile(profile) });
    const tools = { changes, identities: storage.identities };
    return insertWithIdentity(tools, user, this.accountOf(profile), clock(), event);
  }

  private store(identity: ServiceIdentity, epoch: number): Promise<boolean> {
    const { changes, storage } = this.tools;
    const { provider, userId } = identity;
    return changes.commit(
      () => storage.identities.link(identity, epoch),
      (isLinked) => (isLinked ? [['identity.linked', { userId, provider }]] : []),
    );
  }

  private async link(
    profile: IdentityProfile,
    email: string,
    context: RequestContext,
  ): Promise<ProvenUser | null> {
    const { accountLimits, mailboxProof, storage } = this.tools;
    // The provider has proven the address.
    const seen = await mailboxProof.findOrBring(email);
    if (!seen) return this.create(profile, email, context);
    // Also if the account's address is verified: the application has not declared that it trusts the provider's addresses.
    if (this.options.linking === 'explicit') {
      // Unless a parallel sign-in of the same person has just made the account.
      if (await storage.identities.findUser(this.provider, profile.id)) return null;
      // Reveals nothing to a stranger: the provider has verified that the address belongs to this person.
      const exists = new OAuthError(
        'An account with this address exists. Sign in to it first, then link this identity provider.',
        { reason: 'email_exists' },
      );
      throw withAttemptedUser(exists, seen.id);
    }
    // No session yet: the identity may fail to be linked.
    const proof = { ...context, startSession: false };
    // Called only if the account was deleted after it was read: `created` is then true.
    const signUp = () => this.signUpOf(profile);
    const proven = await mailboxProof.findOrCreateUser(email, signUp, proof, { before: seen });
    const { user } = proven;
    await accountLimits.reset(email, context);
    const linked = await this.store(this.identity(profile, user.id), user.epoch);
    // A new account begins with it, and so does one that its owner has reclaimed.
    if (linked && !proven.created && seen.emailVerified)
      this.tools.accountNotices.sendIdentity('identity_linked', user, this.provider, context);
    return linked ? proven : null;
  }

  private async signUpOf(profile: IdentityProfile): Promise<ProvenSignUp> {
    const metadata = await this.metadataOf(profile);
    const account = this.accountOf(profile);
    const hasProfileMetadata = this.options.profileToMetadata === true;
    return {
      method: this.provider,
      metadata,
      hasProfileMetadata,
      profile: toSignUpProfile(profile),
      account,
    };
  }

  /** @throws OAuthError if `profileToMetadata` fails, which is logged. */
  private async metadataOf(profile: IdentityProfile): Promise<Record<string, unknown>> {
    try {
      return await metadataOf(profile, this.options.profileToMetadata);
    } catch (error) {
      const failure = oauthFailure(error);
      const fields = { event: 'provider_failed', provider: this.provider, endpoint: 'profile' };
      this.tools.logger.warn(
        { ...fields, err: describeError(failure.cause) },
        'profileToMetadata failed; the sign-in was refused',
      );
      throw failure;
    }
  }

  private identity(profile: IdentityProfile, userId: string): ServiceIdentity {
    return newIdentity(userId, this.accountOf(profile), this.tools.clock());
  }

  private accountOf({ id }: IdentityProfile): Pick<ServiceIdentity, 'provider' | 'providerAccountId'> {
    return { provider: this.provider, providerAccountId: id };
  }
}

/** The address if the provider has verified it and our grammar accepts it. */
function verifiedAddress({ email, emailVerified }: IdentityProfile): string | null {
  if (email === null || !emailVerified) return null;
  try {
    return parseEmailAddress(email);
  } catch {
    return null;
  }
}
