/** The records of the OAuth server (docs/oauth-server.md). */

/** An application that may ask users for access. */
export interface OAuthClient {
  /** At most 255 characters. */
  id: string;
  /**
   * `registered` by the application, `dynamic`: by itself (RFC 7591), or `document`: the id is the address of its metadata, and
   * `createdAt` is when the document was fetched.
   */
  kind: 'registered' | 'dynamic' | 'document';
  /** Its metadata, with the names of RFC 7591. A secret is stored as its digest. */
  metadata: Readonly<Record<string, unknown>>;
  createdAt: Date;
  /** When a client that has registered itself ends, or the copy of a document. Null for one that stays. */
  expiresAt: Date | null;
}

/** The access that a user has given to a client at one sign-in. Everything that was issued ends with it. */
export interface OAuthGrant {
  id: string;
  userId: string;
  clientId: string;
  /** The epoch of the user at the sign-in. With another one, the grant has ended. */
  epoch: number;
  /** The scopes, by resource. The empty resource has those of no resource, such as `openid`. */
  scopes: Readonly<Record<string, readonly string[]>>;
  /** What the next access tokens are made of. Null until a refresh token was issued. */
  renewal: Readonly<Record<string, unknown>> | null;
  /** Number of the current refresh token: the one before it has been used. */
  counter: number;
  rotatedAt: Date;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
}

/** An agent that acts for a user, and the one before it from which it has got the user's token (RFC 8693, 4.1). */
export interface TokenActor {
  /** The id of the client. */
  sub: string;
  act?: TokenActor;
}

/**
 * Decides about refresh token number `counter` of a grant. A grant rotates at most once in `graceMs`: a client that presents the token before, or
 * its successor, within that time gets the same successor. Processes that share one file of tokens read and write it in any order.
 */
export function rotationOf(
  grant: Pick<OAuthGrant, 'counter' | 'rotatedAt'>,
  { counter, graceMs, now }: { counter: number; graceMs: number; now: Date },
): 'rotated' | 'current' | 'reused' {
  // The first token counts from its first exchange, not from its issue.
  const isRecent = grant.counter > 0 && Math.abs(now.getTime() - grant.rotatedAt.getTime()) < graceMs;
  if (counter === grant.counter) return isRecent ? 'current' : 'rotated';
  return isRecent && counter === grant.counter - 1 ? 'current' : 'reused';
}

/**
 * - `access`, `code`, `deviceCode`: what RFC 6749 and RFC 8628 call so.
 * - `clientAccess`: an access token of a client itself.
 * - `request`: an authorization request that waits for the user.
 * - `proof`: a proof of possession that was used (RFC 9449, 11.1).
 * - `consent`: of a grant, to which host the browser returned with it.
 */
export type OAuthTokenKind =
  'access' | 'code' | 'deviceCode' | 'clientAccess' | 'request' | 'proof' | 'consent';

/** A value that was issued. */
export interface OAuthToken {
  /** Of the kind and the value, so that no value counts as one of another kind. Both kinds of access tokens have one name for it. */
  digest: string;
  kind: OAuthTokenKind;
  /** Digest of a second name, such as the code that a person types. */
  alias: string | null;
  grantId: string | null;
  /** A registered client with which the token ends: of a client's own token, and of one that was exchanged. */
  clientId: string | null;
  data: Readonly<Record<string, unknown>>;
  usedAt: Date | null;
  expiresAt: Date;
}

/** Returns whether a token is of a client itself: of no user, and of no grant. */
export function isOfClient({ kind, clientId }: OAuthToken): boolean {
  return kind === 'clientAccess' && clientId !== null;
}

/** A key that signs. The private part is encrypted. */
export interface OAuthKey {
  id: string;
  secret: string;
  createdAt: Date;
}
