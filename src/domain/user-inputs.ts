/**
 * What administrators ask for and change, as plain types for the engine and the client. Null counts as absent, except for `username`
 * and `externalId` in an update.
 */

/** The conditions of a list of users: a user matches if all of them are met. */
export interface UserFilterInput {
  /** Beginning of an address or a user name, without regard to case, or an id. */
  search?: string | null;
  /**
   * `words`: the search finds its text anywhere in an address or a user name, newest user first. It needs three characters, and at most
   * 100,000 users unless PostgreSQL has an index for it (docs/scale.md). Default: `beginning`.
   */
  within?: 'beginning' | 'words' | null;
  role?: string | null;
  /** The external id, of which there is one user at most. */
  externalId?: string | number | bigint | null;
  blocked?: boolean | null;
  /** Whether the address is verified. */
  verified?: boolean | null;
  guest?: boolean | null;
  /** Created at this time or later. */
  createdAfter?: Date | null;
  /** Created before this time. */
  createdBefore?: Date | null;
}

export interface NewUserInput {
  email?: string | null;
  /** Whether the address counts as verified. Default false. */
  emailVerified?: boolean | null;
  username?: string | null;
  /** The unique id of the user in the application. An integer becomes its digits. */
  externalId?: string | number | bigint | null;
  password?: string | null;
  metadata?: Record<string, unknown>;
  roles?: readonly string[];
}

export interface UserInviteInput {
  email: string;
  metadata?: Record<string, unknown>;
  roles?: readonly string[];
  /** Overrides the target of the link; its origin must be allowed. */
  redirectTo?: string | null;
}

export interface UserUpdateInput {
  email?: string | null;
  emailVerified?: boolean | null;
  /** Null removes the user name. */
  username?: string | null;
  /** Null removes the external id. */
  externalId?: string | number | bigint | null;
  /** Replaces the metadata. */
  metadata?: Record<string, unknown>;
  /** Merges one level into the metadata; null removes a key. */
  mergeMetadata?: Record<string, unknown>;
  roles?: readonly string[];
}

export interface UserBlockInput {
  /** For administrators; the user never sees it. At most 500 characters. */
  reason?: string | null;
  /** When the block ends by itself. */
  until?: Date | null;
}
