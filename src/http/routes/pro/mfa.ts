/** The second step of a sign-in. */
import * as z from 'zod';
import { TokenInvalidError } from '../../../errors/catalog.js';
import { internals } from '../../../core/internals.js';
import { codeErrors, endpoint, type Call, type Target } from '../../endpoint.js';
import { because } from '../../refusal.js';
import { responses } from '../../response-schemas.js';
import { readPendingSignIn, startBrowserSession } from '../../signed-in.js';
import { lazily } from '../../../runtime/load.js';

// The second step works without a valid license too: users who have enabled a second factor must be
// able to sign in.
const requires = ({ service }: Target) => service[internals].existing.totp();

/** With which methods a browser may be trusted: every one that completes the second step. */
export const trustBrowser = lazily(() => z.boolean().optional());

/** Returns the token of the pending sign-in. @throws TokenInvalidError if the request has none. */
export function pendingToken({ service, req }: Pick<Call<unknown>, 'service' | 'req'>): string {
  const token = readPendingSignIn(service, req);
  if (token === undefined) throw new TokenInvalidError(because('pending_sign_in_missing'));
  return token;
}

export const getPendingMethods = endpoint({
  name: 'mfa.methods',
  access: 'open',
  summary: 'Returns how a sign-in that returned `mfa_required` can be completed',
  response: responses.pendingSignIn,
  errors: ['token_invalid'],
  requires,
  handle: async ({ service, req }) =>
    service[internals].existing.secondFactor().pendingMethods(pendingToken({ service, req })),
});

export const sendSecondFactorCode = endpoint({
  access: 'open',
  summary: 'Mails a code for the second step, if the user has chosen codes by email',
  response: responses.sent,
  errors: ['token_invalid', 'rate_limit_exceeded', 'email_send_failed'],
  requires,
  async handle({ service, req, context }) {
    const token = pendingToken({ service, req });
    return service[internals].existing.secondFactor().sendEmailCode({ token }, context);
  },
});

export const verifySecondFactorCode = endpoint({
  access: 'open',
  summary: 'Completes a sign-in that returned `mfa_required`, with the code that was mailed for it',
  body: () => z.object({ code: z.string(), trustBrowser: trustBrowser() }),
  response: responses.user,
  errors: ['token_invalid', ...codeErrors, 'user_blocked'],
  setsSession: true,
  requires,
  async handle({ service, req, res, body, context }) {
    const secondFactor = service[internals].existing.secondFactor();
    const { trustBrowser, code } = body;
    const input = { code, token: pendingToken({ service, req }) };
    const result = await secondFactor.finishWithEmailCode(input, { ...context, trustBrowser });
    return startBrowserSession(service, req, res, result);
  },
});

export const verifySecondFactor = endpoint({
  access: 'open',
  summary:
    'Completes a sign-in that returned `mfa_required`, with a code of the authenticator app or a recovery code',
  body: () =>
    z.union([
      z.object({ code: z.string(), trustBrowser: trustBrowser() }),
      z.object({ recoveryCode: z.string(), trustBrowser: trustBrowser() }),
    ]),
  response: responses.secondStep,
  errors: ['token_invalid', 'code_invalid', 'max_attempts_exceeded', 'encryption_required', 'user_blocked'],
  setsSession: true,
  requires,
  async handle({ service, req, res, body, context }) {
    const totp = service[internals].existing.totp();
    const { trustBrowser, ...codes } = body;
    const input = { ...codes, token: pendingToken({ service, req }) };
    const result = await totp.finishSignIn(input, { ...context, trustBrowser });
    const { recoveryCodesLeft } = result;
    return {
      ...startBrowserSession(service, req, res, result),
      ...(recoveryCodesLeft !== undefined && { recoveryCodesLeft }),
    };
  },
});
