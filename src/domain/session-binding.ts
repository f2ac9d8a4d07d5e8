/** The key of a browser to which a session is bound. */

/** How the browser signs its proofs. */
export type BindingAlgorithm = 'ES256' | 'RS256';

/** What a refresh of the session's cookie is checked with, and what the next token says about the sign-in. */
export interface BindingKey {
  alg: BindingAlgorithm;
  /** The public key (RFC 7517), with the members of its thumbprint only (RFC 7638). */
  jwk: Readonly<Record<string, string>>;
  /** The epoch of the user for which the session was started: a lockdown of all users raises it and writes no session. */
  epoch: number;
  /** Whether the user signed in with two factors. */
  twoFactors: boolean;
  /** Whether the browser keeps the session when it closes. */
  remember: boolean;
}

export interface SessionBinding {
  /** By which the browser names the session. A session that replaces a bound one keeps it. */
  id: string;
  key: BindingKey;
}
