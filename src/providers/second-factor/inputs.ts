/** What the methods of the second step take and resolve. */
import * as z from 'zod';
import { preferableMethods, type SecondStepMethods } from '../../domain/second-factor.js';
import type { TrustedBrowser } from '../../domain/trusted-browser.js';
import { unchecked, userIdInput } from '../../core/support/input-types.js';
import { lazily } from '../../runtime/load.js';

export const pendingInput = lazily(() =>
  z.object({
    /** `pending.token` of the first step; over HTTP the `svc_mfa` cookie. */
    token: unchecked<string>(),
  }),
);

export const emailSecondFactorInput = lazily(() =>
  pendingInput().extend({
    /** The code that was mailed for this sign-in. */
    code: unchecked<string>(),
  }),
);

export const preferredInput = lazily(() =>
  z.object({
    userId: userIdInput(),
    /** Null for none: the authenticator app is offered first. */
    method: z.enum(preferableMethods).nullable(),
  }),
);

/** The second factor of a user. */
export interface SecondFactorState extends SecondStepMethods {
  /** Whether sign-ins require a second factor. If not, there are no methods that could complete one. */
  enabled: boolean;
  /** Whether the user has chosen codes by email. */
  email: boolean;
}

/** A trusted browser as a list shows it. */
export interface ListedTrustedBrowser extends TrustedBrowser {
  /** True for the browser that made the request. */
  current: boolean;
}
