/** The user as callers see it, and as the storage keeps it. */

/** A user, as returned by every method (specification 2.1). Dates are ISO 8601 strings over HTTP. */
export interface ServiceUser {
  /** UUID v7; the `sub` claim of the user's session tokens. */
  id: string;
  /** Canonical address, or null for users who signed in without a usable one. */
  email: string | null;
  emailVerified: boolean;
  /** The application's own data, given when the user was created. */
  metadata: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

/** What the storage holds in addition. None of it leaves the engine. */
export interface StoredUser extends ServiceUser {
  passwordHash: string | null;
  /** Counts the revocations of all sessions; a token with an older value is dead. */
  epoch: number;
  /** Time of the last of them: what kills tokens that carry no epoch. */
  sessionsValidAfter: Date | null;
  /** Whether a confirmed authenticator app guards every sign-in. Changes only together with the epoch. */
  totpEnabled: boolean;
}

/** True if the user has an address that was never proven. Users without one proved an identity or a phone number. */
export function hasUnverifiedAddress({
  email,
  emailVerified,
}: Pick<ServiceUser, 'email' | 'emailVerified'>): boolean {
  return email !== null && !emailVerified;
}

/** The user without what must stay inside: the named fields, so that nothing new leaks by default. */
export function toServiceUser(user: ServiceUser): ServiceUser {
  const { id, email, emailVerified, metadata, createdAt, updatedAt } = user;
  return { id, email, emailVerified, metadata, createdAt, updatedAt };
}
