/** GET /totp, POST /totp/enroll, /totp/confirm, /totp/recovery-codes, /totp/disable */
import { internals } from '../../../kit/internals.js';
import { usedTwoFactors } from '../../../kit/session-tokens.js';
import { endpoint, type Endpoint, type MemberCall } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { deviceOf } from '../../route.js';
import { setSessionCookie } from '../../session-cookie.js';

export function totpEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  /** Changes of a second factor end every session, this one as well; its browser goes on with a new one. */
  async function goOn({ req, res, session, context }: MemberCall<unknown>, twoFactors: boolean) {
    // An access token is no browser: a cookie would outlive it.
    if (!session.session) return;
    const { sessions } = service[internals];
    const isStrong = twoFactors || usedTwoFactors(session.claims);
    const issued = await sessions.restart(session, deviceOf(context), isStrong);
    setSessionCookie(service[internals], req, res, issued);
  }

  return [
    endpoint({
      method: 'get',
      path: '/totp',
      name: 'totp.state',
      access: 'session',
      summary: 'Whether a second factor is enabled, and how many recovery codes are left',
      answer: answers.totp,
      errors: ['encryption_required'],
      async handle({ me }) {
        const { totp } = service;
        return {
          enabled: await totp.isEnabled(me.id),
          recoveryCodesLeft: await totp.countRecoveryCodes(me.id),
        };
      },
    }),
    endpoint({
      method: 'post',
      path: '/totp/enroll',
      access: 'fresh',
      summary: 'Begins an enrolment: a secret for an authenticator app, and its address for a QR code',
      answer: answers.enrollment,
      errors: ['encryption_required'],
      handle: async ({ me }) => service.totp.beginEnrollment(me.id),
    }),
    endpoint({
      method: 'post',
      path: '/totp/confirm',
      access: 'fresh',
      summary: 'Confirms the enrolment by a first code. Every other session ends',
      body: z.object({ code: z.string() }),
      answer: answers.recoveryCodes,
      errors: ['code_invalid', 'code_not_found', 'max_attempts_exceeded', 'encryption_required'],
      setsSession: true,
      async handle(call) {
        const confirmed = await service.totp.confirmEnrollment(call.me.id, call.body.code);
        await goOn(call, true);
        return confirmed;
      },
    }),
    endpoint({
      method: 'post',
      path: '/totp/recovery-codes',
      access: 'fresh',
      summary: 'Replaces the recovery codes. Every other session ends',
      answer: answers.recoveryCodes,
      errors: ['code_not_found', 'encryption_required'],
      setsSession: true,
      async handle(call) {
        const recoveryCodes = await service.totp.regenerateRecoveryCodes(call.me.id);
        await goOn(call, false);
        return { recoveryCodes };
      },
    }),
    endpoint({
      method: 'post',
      path: '/totp/disable',
      access: 'fresh',
      summary: 'Removes the second factor. Every other session ends',
      answer: answers.ok,
      errors: ['encryption_required'],
      setsSession: true,
      async handle(call) {
        await service.totp.disable(call.me.id);
        // Where there was none, nothing ended.
        if (call.session.user.totpEnabled) await goOn(call, false);
        return { ok: true };
      },
    }),
  ];
}
