/** POST /phone/send, /phone/verify */
import { endpoint, type Endpoint } from '../../endpoint.js';
import { codeErrors, type EndpointTools } from '../../endpoint-tools.js';
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
      handle: async ({ body, context }) => service.phoneOtp.sendCode(body, context),
    }),
    endpoint({
      method: 'post',
      path: '/phone/verify',
      access: 'open',
      summary: 'Signs in with the code',
      body: z.object({ phone: z.string(), code: z.string() }),
      answer: answers.signIn,
      errors: [...codeErrors, 'rate_limit_exceeded', 'mfa_required'],
      setsSession: true,
      async handle({ req, res, body, context }) {
        const result = await service.phoneOtp.verify(body, context);
        return { ...giveSession(service, req, res, result), created: result.created };
      },
    }),
  ];
}
