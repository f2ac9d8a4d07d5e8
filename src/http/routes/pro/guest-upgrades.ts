/** The upgrade of a guest to a user with an email address. */
import * as z from 'zod';
import { codeErrors, endpoint } from '../../endpoint.js';
import { rememberChoice } from '../../remember.js';
import { responses } from '../../response-schemas.js';
import { continueSession } from '../../signed-in.js';

export const sendUpgradeCode = endpoint({
  name: 'guest.sendUpgrade',
  access: 'no-impersonation',
  summary: 'Mails a guest a code to verify their future address',
  body: () => z.object({ email: z.string() }),
  response: responses.sent,
  errors: ['rate_limit_exceeded', 'email_send_failed', 'sign_up_disabled'],
  // Guests belong to the Pro tier, however they sign in later.
  requires: ({ service }) => [service.sessionsProvider, service.emailCode],
  handle: async ({ service, me, body, context }) =>
    service.emailCode.sendUpgradeCode({ userId: me.id, email: body.email }, context),
});

export const upgradeGuest = endpoint({
  access: 'no-impersonation',
  summary:
    'Upgrades a guest to a user with the same id, with the mailed code or with a password and an unverified address',
  body: () =>
    z.union([
      z.object({ email: z.string(), code: z.string(), ...rememberChoice() }),
      z.object({ email: z.string(), password: z.string(), ...rememberChoice() }),
    ]),
  response: responses.user,
  errors: [...codeErrors, 'rate_limit_exceeded', 'weak_password', 'email_exists', 'sign_up_disabled'],
  setsSession: true,
  requires: ({ service }) => service.sessionsProvider,
  async handle({ service, req, res, me, body, context }) {
    const changed =
      'code' in body
        ? await service.emailCode.upgradeGuest({ ...body, userId: me.id }, context)
        : await service.emailPassword.upgradeGuest({ ...body, userId: me.id }, context);
    return continueSession(service, req, res, changed);
  },
});
