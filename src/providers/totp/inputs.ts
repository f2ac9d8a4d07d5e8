/** What the methods of the second factor take and resolve. */
import * as z from 'zod';
import { unchecked } from '../../core/support/input-types.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import type { RequestContext } from '../../core/sessions/sign-in.js';
import { lazily } from '../../runtime/load.js';

export const secondFactorInput = lazily(() =>
  z.object({
    /** `pending.token` of the first step; over HTTP the `svc_mfa` cookie. */
    token: unchecked<string>(),
    code: unchecked<string>().optional(),
    recoveryCode: unchecked<string>().optional(),
  }),
);
/** The second step of a sign-in: the token of the first, and one code of either kind. */
export type SecondFactorInput = z.infer<ReturnType<typeof secondFactorInput>>;

/** The context of a request whose session continues after the change. */
export type StartingContext = RequestContext & { startSession: true };

/** Ten recovery codes, shown only once, and the session that continues if the context asked for one. */
export interface NewRecoveryCodes {
  recoveryCodes: string[];
  session?: IssuedSession;
}
