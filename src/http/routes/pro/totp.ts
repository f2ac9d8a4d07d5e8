/** GET /totp, POST /totp/enroll, /totp/confirm, /totp/recovery-codes, /totp/disable */
import { internals } from '../../../kit/internals.js';
import type { IssuedSession } from '../../../kit/sessions.js';
import { endpoint, type Endpoint, type MemberCall } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { keepDevice } from '../../device-cookie.js';
import { setSessionCookie } from '../../session-cookie.js';

export function totpEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  /** Changes of a second factor end every session, this one included; its browser continues with a new one. */
  function goOn({ req, res, me }: MemberCall<unknown>, session: IssuedSession | undefined): void {
    if (!session) return;
    setSessionCookie(service[internals], req, res, session);
    keepDevice(service, req, res, me, session);
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
      handle: async ({ me, context }) => service.totp.state(me.id, context),
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
        const { me, body, context } = call;
        const { session, recoveryCodes } = await service.totp.confirmEnrollment(me.id, body.code, context);
        goOn(call, session);
        return { recoveryCodes };
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
        const context = { ...call.context, startSession: true } as const;
        const { session, recoveryCodes } = await service.totp.regenerateRecoveryCodes(call.me.id, context);
        goOn(call, session);
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
        const context = { ...call.context, startSession: true } as const;
        const { session } = await service.totp.disable(call.me.id, context);
        goOn(call, session);
        return { ok: true };
      },
    }),
  ];
}
