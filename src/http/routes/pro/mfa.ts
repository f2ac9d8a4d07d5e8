/** POST /mfa/verify */
import { TokenInvalidError } from '../../../errors/catalog.js';
import { internals } from '../../../kit/internals.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { because } from '../../refusal.js';
import { giveSession, readPendingSignIn } from '../../signed-in.js';

export function mfaEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/mfa/verify',
      access: 'open',
      summary: 'Finishes a sign-in that answered `mfa_required`, by a code of the app or a recovery code',
      body: z.union([z.object({ code: z.string() }), z.object({ recoveryCode: z.string() })]),
      answer: answers.user,
      errors: ['token_invalid', 'code_invalid', 'max_attempts_exceeded', 'encryption_required'],
      setsSession: true,
      // Whether or not the licence still holds: who protected an account while it did must get into it.
      needs: () => service[internals].existing.totp(),
      async handle({ req, res, body, context }) {
        const totp = service[internals].existing.totp();
        const token = readPendingSignIn(req);
        if (token === undefined) throw new TokenInvalidError(because('pending_sign_in_missing'));
        const result = await totp.finishSignIn({ token, ...body }, context);
        return giveSession(service, req, res, result);
      },
    }),
  ];
}
