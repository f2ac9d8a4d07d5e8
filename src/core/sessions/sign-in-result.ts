/** What a sign-in, and a change that a user makes to the account, return. */
import type { TokenPair } from '../../domain/refresh-family.js';
import type { ServiceUser } from '../../domain/user.js';
import type { PendingSignIn } from './second-factor.js';
import type { IssuedSession } from './sessions.js';
import type { TrustToken } from './trusted-browsers.js';

export interface SignInResult {
  user: ServiceUser;
  /** True if this sign-in created the user. */
  created: boolean;
  /** How the user signed in, as in the log: `password_login`, `google+totp`. Absent if a second factor is missing. */
  method?: string;
  /**
   * Present if the address of the account was unverified, and this sign-in, its first proof, removed the password and the other sign-in
   * methods that were set before. Show it to the user, who may have set them on another device.
   */
  reclaimed?: true;
  /** Present if the context has `startSession`. */
  session?: IssuedSession;
  /** Present instead of `session` if the context has `bearer`. */
  bearer?: TokenPair;
  /** Present instead of `session` if the account has a second factor. Pass its token to `totp.finishSignIn`. */
  pending?: PendingSignIn;
  /** Present if the browser is trusted from now on: what it sends as `trustToken` at the next sign-in. */
  trust?: TrustToken;
}

/** The result of a change that a user made to the account. */
export interface ChangedUser {
  user: ServiceUser;
  /** Present if the context has `startSession`: the previous sessions have ended. */
  session?: IssuedSession;
  /** Present instead of `session` if the context has `bearer` and the change proved a password or a code. */
  bearer?: TokenPair;
}
