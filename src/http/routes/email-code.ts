/** POST /email-code/send, /email-code/verify */
import { endpoint, type Endpoint } from '../endpoint.js';
import { codeErrors, type EndpointTools } from '../endpoint-tools.js';
import { giveSession } from '../signed-in.js';

export function emailCodeEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/email-code/send',
      access: 'open',
      summary: 'Mails a code',
      body: z.object({ email: z.string() }),
      answer: answers.sent,
      errors: ['rate_limit_exceeded', 'email_send_failed'],
      needs: () => service.emailCode,
      handle: async ({ body, context }) => service.emailCode.sendCode(body, context),
    }),
    endpoint({
      method: 'post',
      path: '/email-code/verify',
      access: 'open',
      summary: 'Signs in with the code; creates the user where the address is new',
      body: z.object({ email: z.string(), code: z.string() }),
      answer: answers.signIn,
      errors: [...codeErrors, 'rate_limit_exceeded', 'mfa_required'],
      setsSession: true,
      needs: () => service.emailCode,
      async handle({ req, res, body, context }) {
        const result = await service.emailCode.verify(body, context);
        return { ...giveSession(service, req, res, result), created: result.created };
      },
    }),
  ];
}
