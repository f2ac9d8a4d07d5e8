/** An application that a user has given access to the account. */

export interface ConnectedAppScope {
  /** The address of the resource. Empty for scopes of no resource, such as `openid`. */
  resource: string;
  name: string;
  /** What it allows, in the words of the application. The name, if the application has none for it. */
  description: string;
}

/** A client with what a user has given it, at one sign-in or at several. */
export interface ConnectedApp {
  /** Can be an address. */
  clientId: string;
  name: string;
  /**
   * The host of its address, of the page that the application has registered for it, or, for a client that has registered itself, to which
   * the user has returned. Null if that is the user's own device.
   */
  host: string | null;
  /** When the user has given it access for the first time. */
  createdAt: Date;
  /** When it got an access token last: it may have been used for as long as that is valid. Null if it got none. */
  lastUsedAt: Date | null;
  scopes: ConnectedAppScope[];
}
