/** What the methods of the second factor take and resolve. */
import type { IssuedSession } from '../../kit/sessions.js';
import type { RequestContext } from '../../kit/sign-in.js';

/** The second step of a sign-in: the token of the first, and one code of either kind. */
export interface SecondFactorInput {
  /** `pending.token` of the first step; over HTTP the `svc_mfa` cookie. */
  token: string;
  code?: string;
  recoveryCode?: string;
}

/** The context of a request whose session continues after the change. */
export type StartingContext = RequestContext & { startSession: true };

/** Ten recovery codes, shown only once, and the session that continues if the context asked for one. */
export interface NewRecoveryCodes {
  recoveryCodes: string[];
  session?: IssuedSession;
}
