/** The content of a session token. Apart from session-jwt.ts, so that the declarations of `svc-auth/token` need no types of Node.js. */

/** The claims of a session token. */
export interface SessionClaims {
  /** User id. */
  sub: string;
  use: 'session';
  /** Issued at and expiry, seconds since the epoch. */
  iat: number;
  exp: number;
  /** Session id. Absent in tokens of `createSessionToken`. */
  sid?: string;
  /** The user's epoch at sign-in. */
  epoch?: number;
  /** Issue time in milliseconds, in tokens without an epoch. */
  ims?: number;
  iss?: string;
  aud?: string;
  /** The administrator behind an impersonation (RFC 8693, `act`). */
  act?: { sub: string };
  /** The administrator's epoch. */
  actEpoch?: number;
  /** The administrator's session, if the impersonation ends with it. */
  actSid?: string;
  /** `['mfa']` in sessions that were started with two factors (RFC 8176). */
  amr?: string[];
  /** False if the browser forgets the session when it closes. Absent otherwise. */
  remember?: boolean;
  /** True if the token was issued for a proof of the browser's key (`session.bound`). Absent otherwise. */
  bound?: true;
  /** Refresh family, in access tokens. */
  fid?: string;
  /** In access tokens that are bound to a key: its thumbprint (RFC 9449, 6.1). Accepted with a proof of the key only. */
  cnf?: { jkt: string };
  /** Custom claims. */
  [claim: string]: unknown;
}
