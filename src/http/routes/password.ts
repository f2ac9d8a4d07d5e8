/** POST /password/signup, /password/login, /password/request-reset, /password/reset */
import { endpoint, type Endpoint } from '../endpoint.js';
import type { EndpointTools } from '../endpoint-tools.js';
import { giveSession } from '../signed-in.js';

export function passwordEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  const emailAndPassword = z.object({ email: z.string(), password: z.string() });
  const needs = () => service.emailPassword;

  return [
    endpoint({
      method: 'post',
      path: '/password/signup',
      access: 'open',
      summary: 'Creates an account with a password, and signs in',
      body: emailAndPassword,
      answer: answers.user,
      errors: ['weak_password', 'email_exists', 'rate_limit_exceeded', 'reauth_required'],
      setsSession: true,
      needs,
      async handle({ req, res, body, context }) {
        const result = await service.emailPassword.signup(body, context);
        return giveSession(service, req, res, result);
      },
    }),
    endpoint({
      method: 'post',
      path: '/password/login',
      access: 'open',
      summary: 'Signs in with a password',
      body: emailAndPassword,
      answer: answers.user,
      errors: ['invalid_credentials', 'rate_limit_exceeded', 'mfa_required'],
      setsSession: true,
      needs,
      async handle({ req, res, body, context }) {
        const result = await service.emailPassword.login(body, context);
        return giveSession(service, req, res, result);
      },
    }),
    endpoint({
      method: 'post',
      path: '/password/request-reset',
      access: 'open',
      summary:
        'Mails a link to choose a new password, where there is such an account; the answer does not tell',
      body: z.object({ email: z.string() }),
      answer: answers.resetRequested,
      needs,
      handle: async ({ body, context }) => service.emailPassword.requestReset(body, context),
    }),
    endpoint({
      method: 'post',
      path: '/password/reset',
      access: 'open',
      summary:
        'Sets the new password by the token of the link. Every session ends, and no session starts. With `revokeCredentials`, passkeys and API keys end too',
      body: z.object({
        token: z.string(),
        newPassword: z.string(),
        revokeCredentials: z.boolean().optional(),
      }),
      answer: answers.user,
      errors: ['weak_password', 'token_invalid', 'rate_limit_exceeded'],
      needs,
      // No cookie: whoever has the link has the mailbox, not yet a second factor.
      handle: async ({ body, context }) => service.emailPassword.setPassword(body, context),
    }),
  ];
}
