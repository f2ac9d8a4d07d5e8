/** The upgrade of a guest to a user with an email address. */
import * as z from 'zod';
import { sendUpgradeCodeInput } from '../../../providers/email-code.js';
import { upgradeWithPasswordInput } from '../../../providers/email-password/options.js';
import { codeErrors, endpoint } from '../../endpoint.js';
import { rememberChoice } from '../../remember.js';
import { responses } from '../../response-schemas.js';
import { continueSession } from '../../signed-in.js';

export const sendUpgradeCode = endpoint({
  name: 'guest.sendUpgrade',
  access: 'no-impersonation',
  summary: 'Mails a guest a code to verify their future address',
  body: () => sendUpgradeCodeInput().omit({ userId: true }),
  response: responses.codeSent,
  errors: ['rate_limit_exceeded', 'email_send_failed', 'sign_up_disabled', 'challenge_required'],
  // Guests belong to the Pro tier, however they sign in later.
  requires: ({ service }) => [service.sessionsProvider, service.emailCode],
  handle: async ({ service, me, body, context }) =>
    service.emailCode.sendUpgradeCode({ ...body, userId: me.id }, context),
});

export const upgradeGuest = endpoint({
  access: 'no-impersonation',
  summary:
    'Upgrades a guest to a user with the same id, with the mailed code or with a password and an unverified address',
  body: () =>
    z.union([
      z.object({ email: z.string(), code: z.string(), ...rememberChoice() }),
      upgradeWithPasswordInput().omit({ userId: true }).extend(rememberChoice()),
    ]),
  response: responses.user,
  errors: [
    ...codeErrors,
    'rate_limit_exceeded',
    'weak_password',
    'email_exists',
    'sign_up_disabled',
    'challenge_required',
  ],
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
