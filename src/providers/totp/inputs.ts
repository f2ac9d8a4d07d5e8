/** What the methods of the second factor take and resolve. */
import * as z from 'zod';
import type { TotpApp } from '../../domain/totp.js';
import { unchecked, userIdInput } from '../../core/support/input-types.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import { lazily } from '../../runtime/load.js';

export const secondFactorInput = lazily(
  () =>
    z.object({
      /** `pending.token` of the first step; over HTTP the `svc_mfa` cookie. */
      token: unchecked<string>(),
      code: unchecked<string>().optional(),
      recoveryCode: unchecked<string>().optional(),
    }) satisfies z.ZodType<SecondFactorInput>,
);
/** The second step of a sign-in: the token of the first, and one code of either kind. */
export interface SecondFactorInput {
  token: string;
  code?: string | undefined;
  recoveryCode?: string | undefined;
}

export const newAppInput = lazily(() =>
  z.object({
    userId: userIdInput(),
    /** The first code of the app. */
    code: z.string(),
    /** Chosen by the user, on one line. */
    name: z.string().optional(),
  }),
);

export const appInput = lazily(() => z.object({ userId: userIdInput(), id: z.string() }));

export const renamedAppInput = lazily(() => appInput().extend({ name: z.string() }));

/** An authenticator app of a user. */
export type PublicTotpApp = Omit<TotpApp, 'userId' | 'secret' | 'lastStep'>;

export function toPublicApp({ id, name, createdAt, lastUsedAt }: TotpApp): PublicTotpApp {
  return { id, name, createdAt, lastUsedAt };
}

/** The context of a request whose session continues after the change. */
export type StartingContext = RequestContext & { startSession: true };

/** Ten recovery codes, shown only once, and the session that continues if the context asked for one. */
export interface NewRecoveryCodes {
  recoveryCodes: string[];
  session?: IssuedSession;
}

/** A new app; with recovery codes if it is the first one. */
export interface AddedTotpApp extends Partial<NewRecoveryCodes> {
  app: PublicTotpApp;
}

/** A complete sign-in. */
export interface SecondFactorResult extends SignInResult {
  /** Present after a sign-in with a recovery code. */
  recoveryCodesLeft?: number;
}
