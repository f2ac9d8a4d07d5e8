/** The second step of a sign-in. */
import * as z from 'zod';
import { TokenInvalidError } from '../../../errors/catalog.js';
import { internals } from '../../../core/support/internals.js';
import { endpoint } from '../../endpoint.js';
import { because } from '../../refusal.js';
import { responses } from '../../response-schemas.js';
import { readPendingSignIn, startBrowserSession } from '../../signed-in.js';

export const verifySecondFactor = endpoint({
  access: 'open',
  summary:
    'Completes a sign-in that returned `mfa_required`, with a code of the authenticator app or a recovery code',
  body: () => z.union([z.object({ code: z.string() }), z.object({ recoveryCode: z.string() })]),
  response: responses.user,
  errors: ['token_invalid', 'code_invalid', 'max_attempts_exceeded', 'encryption_required', 'user_blocked'],
  setsSession: true,
  // Works without a valid license too: users who have enabled a second factor must be able to sign
  // in.
  requires: ({ service }) => service[internals].existing.totp(),
  async handle({ service, req, res, body, context }) {
    const totp = service[internals].existing.totp();
    const token = readPendingSignIn(req);
    if (token === undefined) throw new TokenInvalidError(because('pending_sign_in_missing'));
    const result = await totp.finishSignIn({ ...body, token }, context);
    return startBrowserSession(service, req, res, result);
  },
});
