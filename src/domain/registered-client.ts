/** The clients of the OAuth server, as administrators see them. */
import type { OAuthClient } from './oauth-server.js';

/** A secret of a client, without the secret. */
export interface OAuthClientSecret {
  id: string;
  createdAt: Date;
}

/** A client as it is listed. */
export interface RegisteredClient {
  id: string;
  name: string;
  redirectUris: readonly string[];
  /** Address of its page. */
  uri: string | null;
  kind: OAuthClient['kind'];
  /** Whether it proves who it is, with a secret or a key. */
  confidential: boolean;
  /** Oldest first. */
  secrets: readonly OAuthClientSecret[];
  createdAt: Date;
  /** When a client that has registered itself ends. Null for one that stays. */
  expiresAt: Date | null;
}
