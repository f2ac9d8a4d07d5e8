/** What the OAuth server stores. */
import type { OAuthClient, OAuthGrant, OAuthKey, OAuthToken } from '../domain/oauth-server.js';
import type { ActingUser } from './acting-user.js';
import type { StoredUser } from '../domain/user.js';

/** A grant that has not ended: it has not expired, its user has the same epoch and is not blocked. */
export interface ActiveGrant {
  grant: OAuthGrant;
  user: StoredUser;
}

/** A grant with the client that has it. */
export interface ClientGrant {
  grant: OAuthGrant;
  /** Also one that has expired. Null if it was removed, or if its id is the address of its metadata and they are not stored. */
  client: OAuthClient | null;
}

export interface FoundAccess {
  token: OAuthToken;
  /** Null for a token of a client itself. */
  active: ActiveGrant | null;
}

export type GrantRotation =
  /** `current`: the grant was rotated a moment ago, and has the successor of the token, or the token itself. */
  | { status: 'rotated' | 'current'; grant: OAuthGrant }
  /** The token was exchanged earlier. The grant and its tokens have been removed. */
  | { status: 'reused'; grant: OAuthGrant }
  | { status: 'invalid' };

/** Decides on what is stored of a token. It may run again. Null if nothing may change. */
export type TokenChange = (token: OAuthToken) => Pick<OAuthToken, 'data' | 'grantId'> | null;

/** What a new grant depends on, besides its user and its client. All of it is decided under one lock. */
export interface GrantConditions {
  /** Id of the session, or of the refresh family, of the user who gives the grant. It must be active. */
  sessionId?: string;
  /** Changes the token that has asked for the grant in the same transaction, as `changeToken` does, which must not return null. */
  request?: { digest: string; change: TokenChange };
  /** Ids of earlier grants of the user to the client, because of which the user was not asked. All of them must be active. */
  reliesOn?: readonly string[];
}

export interface OAuthServerRepository {
  /**
   * Inserts a client. False, and nothing changes, if its id is taken.
   * @param by the administrator who makes the change, if one does, here and below.
   */
  insertClient(client: OAuthClient, by?: ActingUser): Promise<boolean>;
  /** Inserts a client, or replaces the one of the same kind with its id. False, and nothing changes, if another kind has taken the id. */
  storeClient(client: OAuthClient): Promise<boolean>;
  /** Null for one that has expired. */
  findClient(id: string, now: Date): Promise<OAuthClient | null>;
  /** Oldest first, without those that have expired. */
  listClients(now: Date): Promise<OAuthClient[]>;
  /**
   * Replaces the metadata of a client that has not expired, under a lock on it, so that of parallel calls each decides on what the one
   * before it has stored. Null if there is no such client.
   * @param change returns the new metadata. What it throws is thrown, and nothing changes.
   */
  updateClient(
    id: string,
    now: Date,
    change: (client: OAuthClient) => OAuthClient['metadata'],
    by?: ActingUser,
  ): Promise<OAuthClient | null>;
  /** Removes a client with its grants and their tokens. False if there is no such client. */
  removeClient(id: string, by?: ActingUser): Promise<boolean>;
  /**
   * Inserts a grant, under a lock on its user, the session and its client. False, and nothing changes, if the user has another epoch, is
   * blocked or does not exist, if the client does not exist, or if one of the conditions is not met. So the end of the session, and a
   * removal of what the user has given the client, either come before this grant or see it.
   */
  insertGrant(grant: OAuthGrant, now: Date, conditions?: GrantConditions): Promise<boolean>;
  findGrant(id: string, now: Date): Promise<ActiveGrant | null>;
  /** The active grants of a user, newest first. */
  listGrants(userId: string, now: Date): Promise<OAuthGrant[]>;
  /** The active grants of a user with their clients, newest first. One query. */
  listGrantsWithClients(userId: string, now: Date): Promise<ClientGrant[]>;
  /** Stores that the client has got an access token at this time. Does nothing without the grant. */
  markGrantUsed(id: string, now: Date): Promise<void>;
  /** Stores what the next access tokens are made of, and when the grant ends. False if there is no such grant. */
  makeRenewable(id: string, renewal: OAuthGrant['renewal'], expiresAt: Date): Promise<boolean>;
  /**
   * Exchanges refresh token number `counter` of an active grant for the next one, as `rotationOf` (domain/oauth-server.ts) decides. Of
   * parallel calls with one number, the first gets `rotated`, and all others within `graceMs` get `current` with the same number.
   */
  rotate(rotation: {
    id: string;
    counter: number;
    graceMs: number;
    now: Date;
    expiresAt: Date;
  }): Promise<GrantRotation>;
  /** Removes a grant and its tokens. @param userId if it is given, only a grant of this user. Returns the grant, and null if there is no such grant. */
  removeGrant(id: string, userId?: string): Promise<OAuthGrant | null>;
  /** Removes the grants of a user for a client, and their tokens. Returns their number. */
  removeGrantsFor(userId: string, clientId: string): Promise<number>;
  /** Inserts a token. False, and nothing changes, if there is one with this digest. */
  insertToken(token: OAuthToken): Promise<boolean>;
  /** Replaces a token by one with the same digest. It stays used if it was. Does nothing without one. */
  updateToken(token: OAuthToken): Promise<void>;
  /** Also one that has expired or was used. */
  findToken(digest: string): Promise<OAuthToken | null>;
  findTokenByAlias(alias: string): Promise<OAuthToken | null>;
  /** Marks a token as used. Of parallel calls one returns true; false if it was used, has expired or does not exist. */
  useToken(digest: string, now: Date): Promise<boolean>;
  /**
   * Changes a token that has neither expired nor been used, under a lock on it, so that of parallel calls each decides on what the one
   * before it has stored. Null, and nothing changes, if there is no such token, or if `change` returns null.
   */
  changeToken(digest: string, now: Date, change: TokenChange): Promise<OAuthToken | null>;
  removeToken(digest: string): Promise<void>;
  /** Removes the tokens of a grant, which stays. */
  removeTokensOf(grantId: string): Promise<void>;
  /**
   * Returns an access token that has not expired, with its grant, which is null for `clientAccess`. Null if the grant or the client has
   * ended with which it ends. One query.
   */
  findAccess(digest: string, now: Date): Promise<FoundAccess | null>;
  /** Inserts a key. False, and nothing changes, if its id is taken. */
  insertKey(key: OAuthKey): Promise<boolean>;
  /** Newest first. */
  listKeys(): Promise<OAuthKey[]>;
  removeKeys(createdBefore: Date): Promise<void>;
}
