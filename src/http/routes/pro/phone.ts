/** POST /phone/send, /phone/verify */
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { requestContext } from '../../route.js';
import { giveSession } from '../../signed-in.js';

export function phoneEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/phone/send',
      access: 'open',
      summary: 'Texts a code to a number',
      body: z.object({ phone: z.string() }),
      answer: answers.sent,
      errors: ['rate_limit_exceeded', 'sms_send_failed'],
      handle: async ({ req, body: { phone } }) => service.phoneOtp.sendCode({ phone }, requestContext(req)),
    }),
    endpoint({
      method: 'post',
      path: '/phone/verify',
      access: 'open',
      summary: 'Signs in with the code',
      body: z.object({ phone: z.string(), code: z.string() }),
      answer: answers.signIn,
      errors: [
        'code_invalid',
        'code_expired',
        'code_not_found',
        'max_attempts_exceeded',
        'rate_limit_exceeded',
        'mfa_required',
      ],
      setsSession: true,
      async handle({ req, res, body: { phone, code }, context }) {
        const result = await service.phoneOtp.verify({ phone, code }, context);
        giveSession(service, req, res, result);
        return { user: result.user, created: result.created };
      },
    }),
  ];
}
