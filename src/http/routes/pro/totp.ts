/** The caller's second factor: one-time passwords of an authenticator app. */
import * as z from 'zod';
import { endpoint, type Target } from '../../endpoint.js';
import { responses } from '../../response-schemas.js';
import { continueSession } from '../../signed-in.js';

const requires = ({ service }: Target) => service.totp;

export const getTotpState = endpoint({
  name: 'totp.state',
  access: 'session',
  summary: 'Returns whether a second factor is enabled, and how many recovery codes are left',
  response: responses.totp,
  errors: ['encryption_required'],
  requires,
  handle: async ({ service, me, context }) => service.totp.state(me.id, context),
});

export const beginEnrollment = endpoint({
  access: 'recent',
  summary: 'Starts an enrollment. Returns a secret for an authenticator app, and its URI for a QR code',
  response: responses.enrollment,
  errors: ['encryption_required'],
  requires,
  handle: async ({ service, me, context }) => service.totp.beginEnrollment(me.id, context),
});

export const confirmEnrollment = endpoint({
  access: 'recent',
  summary: 'Confirms an enrollment with a first code. Ends every other session',
  body: () => z.object({ code: z.string() }),
  response: responses.recoveryCodes,
  errors: ['code_invalid', 'code_not_found', 'max_attempts_exceeded', 'encryption_required'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, body, context }) {
    const { session, recoveryCodes } = await service.totp.confirmEnrollment(me.id, body.code, context);
    continueSession(service, req, res, { user: me, session });
    return { recoveryCodes };
  },
});

export const regenerateRecoveryCodes = endpoint({
  access: 'recent',
  summary: 'Replaces the recovery codes. Ends every other session',
  response: responses.recoveryCodes,
  errors: ['code_not_found', 'encryption_required'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, context }) {
    const options = { ...context, startSession: true } as const;
    const { session, recoveryCodes } = await service.totp.regenerateRecoveryCodes(me.id, options);
    continueSession(service, req, res, { user: me, session });
    return { recoveryCodes };
  },
});

export const disableTotp = endpoint({
  access: 'recent',
  summary: 'Disables the second factor. Ends every other session',
  response: responses.ok,
  errors: ['encryption_required'],
  setsSession: true,
  requires,
  async handle({ service, req, res, me, context }) {
    const options = { ...context, startSession: true } as const;
    const { session } = await service.totp.disable(me.id, options);
    continueSession(service, req, res, { user: me, session });
    return { ok: true };
  },
});
