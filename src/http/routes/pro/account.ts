/** GET and DELETE /account, GET /account/export, POST /account/password, /account/verify-email, /account/email and what belongs to them */
import { LicenseRequiredError } from '../../../errors/catalog.js';
import { internals } from '../../../kit/internals.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import { codeErrors, type EndpointTools } from '../../endpoint-tools.js';
import { clearSessionCookie } from '../../session-cookie.js';
import { forgetPendingSignIn, goOn } from '../../signed-in.js';

export function accountEndpoints(tools: EndpointTools): Endpoint[] {
  return [...recordEndpoints(tools), passwordEndpoint(tools), ...addressEndpoints(tools)];
}

function recordEndpoints({ service, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/account',
      access: 'session',
      summary: 'Who you are, and what a page of settings has to know of your account',
      answer: answers.account,
      handle: async ({ me, context }) => service.account.summary(me.id, context),
    }),
    endpoint({
      method: 'delete',
      path: '/account',
      access: 'fresh',
      // A guest cannot sign in again.
      atAnyAge: async ({ me }) => (await service.account.summary(me.id)).isGuest,
      summary: 'Deletes your account and everything that names you',
      answer: answers.ok,
      errors: ['org_error'],
      async handle({ req, res, me, context }) {
        await service.account.deleteUser(me.id, context);
        clearSessionCookie(service[internals], req, res);
        forgetPendingSignIn(service, req, res);
        return { ok: true };
      },
    }),
    endpoint({
      method: 'get',
      path: '/account/export',
      access: 'fresh',
      summary: 'Everything that is held about you, as a file',
      answer: answers.accountExport,
      async handle({ res, me }) {
        const exported = await service.account.exportData(me.id);
        res.setHeader('Content-Disposition', 'attachment; filename="account.json"');
        return exported;
      },
    }),
  ];
}

function passwordEndpoint({ service, z, answers }: EndpointTools): Endpoint {
  return endpoint({
    method: 'post',
    path: '/account/password',
    name: 'account.changePassword',
    access: 'fresh',
    summary:
      'Sets another password, or a first one without `currentPassword`. Every other session ends with another one',
    body: z.object({ currentPassword: z.string().optional(), newPassword: z.string() }),
    answer: answers.user,
    errors: ['invalid_credentials', 'weak_password', 'rate_limit_exceeded'],
    setsSession: true,
    // The method is free, and this route of the Pro tier.
    needs() {
      if (!service.licensed) throw new LicenseRequiredError('account');
      return service.emailPassword;
    },
    async handle({ req, res, me, body, context }) {
      const changed = await service.emailPassword.changePassword({ userId: me.id, ...body }, context);
      return goOn(service, req, res, changed);
    },
  });
}

function addressEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/account/verify-email/send',
      name: 'account.sendVerification',
      access: 'session',
      summary:
        'Mails you a code for your own address. `expiresAt` is null, and nothing is sent, where it is verified',
      answer: answers.sentIfNeeded,
      errors: ['invalid_request', 'rate_limit_exceeded', 'email_send_failed'],
      handle: async ({ me, context }) => service.account.sendVerification(me.id, context),
    }),
    endpoint({
      method: 'post',
      path: '/account/verify-email',
      access: 'own',
      summary: 'Verifies your address by that code',
      body: z.object({ code: z.string() }),
      answer: answers.user,
      errors: [...codeErrors, 'rate_limit_exceeded'],
      handle: async ({ me, body, context }) =>
        service.account.verifyEmail({ userId: me.id, code: body.code }, context),
    }),
    endpoint({
      method: 'post',
      path: '/account/email',
      name: 'account.changeEmail',
      access: 'fresh',
      summary:
        'Begins a change of your address: mails a code to the new one, and one to the present one if it is verified',
      body: z.object({ email: z.string() }),
      answer: answers.changeSent,
      errors: ['rate_limit_exceeded', 'email_send_failed'],
      handle: async ({ me, body, context }) =>
        service.account.requestEmailChange({ userId: me.id, email: body.email }, context),
    }),
    endpoint({
      method: 'post',
      path: '/account/email/confirm',
      name: 'account.confirmEmail',
      access: 'fresh',
      summary: 'Changes your address by the code, or both. Every other session ends',
      body: z.object({ email: z.string(), code: z.string(), currentCode: z.string().optional() }),
      answer: answers.user,
      errors: [...codeErrors, 'rate_limit_exceeded', 'email_exists'],
      setsSession: true,
      async handle({ req, res, me, body, context }) {
        const changed = await service.account.confirmEmailChange({ userId: me.id, ...body }, context);
        return goOn(service, req, res, changed);
      },
    }),
  ];
}
