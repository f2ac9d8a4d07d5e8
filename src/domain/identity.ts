/** A user's account at an identity provider, and what such a provider says of a person. */

/** The provider of identities that are phone numbers in E.164. No identity provider can have this name. */
export const phoneProvider = 'phone';

/** Link between a user and an account elsewhere, unique by (provider, providerAccountId). */
export interface ServiceIdentity {
  id: string;
  userId: string;
  provider: string;
  /** The provider's own, never reassigned identifier: the `sub` of its ID token. */
  providerAccountId: string;
  createdAt: Date;
}

export interface IdentityProfile {
  id: string;
  email: string | null;
  /** True only where the provider says so itself, as a boolean. */
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
  /** All claims, as the provider gave them. */
  raw: Record<string, unknown>;
}
