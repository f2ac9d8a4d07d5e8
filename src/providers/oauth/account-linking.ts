/**
 * From a provider's word to a user (docs/decisions/account-linking.md): the identity by
 * (provider, subject) first; by address only when the provider has verified it, and never into an account whose own
 * address is unproven without claiming it.
 */
import { uuidV7 } from '../../crypto/random.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import type { IdentityProfile, ServiceIdentity } from '../../domain/identity.js';
import type { StoredUser } from '../../domain/user.js';
import { InternalError, OAuthError, TokenInvalidError } from '../../errors/catalog.js';
import { existingUser } from '../../kit/existing-user.js';
import { stored, type ProvenUser } from '../../kit/mailbox-proof.js';
import type { RequestContext } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';

/**
 * What the provider's word on an address may do: `verified-email` signs in to the account that has the address, `explicit` never
 * touches an account that was there before.
 */
export type Linking = 'explicit' | 'verified-email';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'mailboxProof' | 'storage'>;

export class AccountLinking {
  constructor(
    private readonly provider: string,
    private readonly linking: Linking,
    private readonly tools: Tools,
  ) {}

  /**
   * @throws OAuthError with the reason `email_exists` if `linking` is `explicit`, the provider has verified the address, and the
   * address has an account.
   */
  async resolve(profile: IdentityProfile, context: RequestContext): Promise<ProvenUser> {
    const { identities } = this.tools.storage;
    // A round is lost only to a parallel sign-in of the same person, whose identity the next round finds, or to a claim or a
    // revocation, after which the next round asks anew whose the address is.
    for (let round = 0; round < 5; round += 1) {
      const known = await identities.findUser(this.provider, profile.id);
      if (known) return { user: known, created: false };
      const email = verifiedAddress(profile);
      const resolved = email === null ? await this.create(profile) : await this.link(profile, email, context);
      if (resolved) return resolved;
    }
    throw new InternalError(new Error('The identity changed with every look at it.'));
  }

  /**
   * Links the account at the provider to a user who asked for it, as they were read then. Linking it again changes nothing.
   * @throws OAuthError when somebody else has it; TokenInvalidError when every session of the user ended meanwhile;
   * UserNotFoundError when the user went.
   */
  async linkTo({ id: userId, epoch }: StoredUser, profile: IdentityProfile): Promise<ServiceIdentity> {
    const { events, storage } = this.tools;
    const identity = this.identity(profile, userId);
    if (await storage.identities.link(identity, epoch)) {
      events.emit('identity.linked', { userId, provider: this.provider });
      return identity;
    }
    const owner = await storage.identities.findUser(this.provider, profile.id);
    if (!owner) {
      await existingUser(storage.users, userId);
      throw new TokenInvalidError();
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

  /** A user of their own, without an address: an unverified one must not touch, nor reserve, anybody's account. */
  private async create(profile: IdentityProfile): Promise<ProvenUser | null> {
    const { mailboxProof, storage } = this.tools;
    const user = mailboxProof.newUser({ email: null, emailVerified: false, metadata: {} });
    const inserted = await storage.identities.insertWithUser(this.identity(profile, user.id), user);
    return inserted ? { user: stored(user), created: true } : null;
  }

  private async link(
    profile: IdentityProfile,
    email: string,
    context: RequestContext,
  ): Promise<ProvenUser | null> {
    const { events, mailboxProof, storage } = this.tools;
    const seen = await mailboxProof.look(email);
    if (!seen) {
      const user = mailboxProof.newUser({ email, emailVerified: true, metadata: {} });
      const inserted = await storage.identities.insertWithUser(this.identity(profile, user.id), user);
      return inserted ? { user: stored(user), created: true } : null;
    }
    // Whether the address here is proven does not matter: that the provider may speak for its addresses was never said.
    if (this.linking === 'explicit') {
      // Unless a parallel sign-in of the same person has just made the account.
      if (await storage.identities.findUser(this.provider, profile.id)) return null;
      // Reveals nothing to a stranger: the provider has verified that the address belongs to this person.
      throw new OAuthError(
        'An account with this address exists. Sign in to it first, then link this identity provider.',
        { reason: 'email_exists' },
      );
    }
    const { user } = await mailboxProof.resolve(email, {}, context, seen);
    const linked = await storage.identities.link(this.identity(profile, user.id), user.epoch);
    if (linked) events.emit('identity.linked', { userId: user.id, provider: this.provider });
    return linked ? { user, created: false } : null;
  }

  private identity(profile: IdentityProfile, userId: string): ServiceIdentity {
    const now = this.tools.clock();
    const { provider } = this;
    return { id: uuidV7(now), userId, provider, providerAccountId: profile.id, createdAt: new Date(now) };
  }
}

/** The address if the provider has verified it and our grammar takes it. */
function verifiedAddress({ email, emailVerified }: IdentityProfile): string | null {
  if (email === null || !emailVerified) return null;
  try {
    return parseEmailAddress(email);
  } catch {
    return null;
  }
}
