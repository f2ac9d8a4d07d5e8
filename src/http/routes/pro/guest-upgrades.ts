/** POST /guest/upgrade/send, /guest/upgrade */
import { endpoint, type Endpoint } from '../../endpoint.js';
import { codeErrors, type EndpointTools } from '../../endpoint-tools.js';
import { goOn } from '../../signed-in.js';

export function guestUpgradeEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/guest/upgrade/send',
      name: 'guest.sendUpgrade',
      access: 'own',
      summary: 'Mails a guest a code for the address that is to be theirs',
      body: z.object({ email: z.string() }),
      answer: answers.sent,
      errors: ['rate_limit_exceeded', 'email_send_failed'],
      // Guests are of the Pro tier, whatever their way in.
      needs: () => [service.sessionsProvider, service.emailCode],
      handle: async ({ me, body, context }) =>
        service.emailCode.sendUpgradeCode({ userId: me.id, email: body.email }, context),
    }),
    endpoint({
      method: 'post',
      path: '/guest/upgrade',
      access: 'own',
      summary:
        'Makes a guest a user with the same id, by that code, or by a password and an unverified address',
      body: z.union([
        z.object({ email: z.string(), code: z.string() }),
        z.object({ email: z.string(), password: z.string() }),
      ]),
      answer: answers.user,
      errors: [...codeErrors, 'rate_limit_exceeded', 'weak_password', 'email_exists'],
      setsSession: true,
      async handle({ req, res, me, body, context }) {
        const changed =
          'code' in body
            ? await service.emailCode.upgradeGuest({ userId: me.id, ...body }, context)
            : await service.emailPassword.upgradeGuest({ userId: me.id, ...body }, context);
        return goOn(service, req, res, changed);
      },
    }),
  ];
}
