/** The second step of a sign-in, and what its user sets up for it. */
import type { PreferableMethod } from '../domain/second-factor.js';
import type * as Responses from './responses.js';
import { at, type Send } from './transport.js';

/** The second step of a sign-in. */
export interface TrustInput {
  /** Whether later sign-ins in this browser need no second step, if the service offers it. */
  trustBrowser?: boolean;
  /** Whether the browser keeps the session when it closes, unless the first step said no. Default true. */
  remember?: boolean;
}

/** @param authenticate runs the whole ceremony of a passkey. */
export function secondFactorMethods(
  send: Send,
  authenticate: (input?: TrustInput) => Promise<Responses.WithUser>,
) {
  return {
    mfa: {
      /** How the sign-in that was refused with `mfa_required` can be completed. */
      methods: () => send<Responses.PendingSignIn>('GET', '/mfa'),
      /** Completes a sign-in that was refused with `mfa_required`. */
      verify: (input: ({ code: string } | { recoveryCode: string }) & TrustInput) =>
        send<Responses.SecondStep>('POST', '/mfa/verify', input),
      email: {
        send: () => send<Responses.Sent>('POST', '/mfa/email/send'),
        verify: (input: { code: string } & TrustInput) =>
          send<Responses.WithUser>('POST', '/mfa/email/verify', input),
      },
      passkey: {
        /** Runs the whole ceremony: the browser asks for one of the user's passkeys. */
        authenticate,
        start: () => send<Responses.Ceremony>('POST', '/mfa/passkey/start'),
        finish: (input: Responses.CeremonyResponse & TrustInput) =>
          send<Responses.WithUser>('POST', '/mfa/passkey/finish', input),
      },
    },

    secondFactor: {
      state: () => send<Responses.SecondFactor>('GET', '/second-factor'),
      /** Chooses the method that is offered first; null for none. */
      prefer: (input: { method: PreferableMethod | null }) =>
        send<Responses.Ok>('PUT', '/second-factor/preferred', input),
      enableEmail: () => send<Responses.Ok>('POST', '/second-factor/email/enable'),
      disableEmail: () => send<Responses.Ok>('POST', '/second-factor/email/disable'),
    },

    trustedBrowsers: {
      list: () => send<Responses.TrustedBrowsers>('GET', '/trusted-browsers'),
      revoke: (id: string) => send<Responses.Ok>('DELETE', at`/trusted-browsers/${id}`),
      revokeAll: () => send<Responses.Ok>('POST', '/trusted-browsers/revoke-all'),
    },

    totp: {
      state: () => send<Responses.TotpState>('GET', '/totp'),
      enroll: () => send<Responses.TotpEnrollment>('POST', '/totp/enroll'),
      confirm: (input: { code: string }) => send<Responses.RecoveryCodes>('POST', '/totp/confirm', input),
      recoveryCodes: () => send<Responses.RecoveryCodes>('POST', '/totp/recovery-codes'),
      disable: () => send<Responses.Ok>('POST', '/totp/disable'),
      apps: () => send<Responses.TotpApps>('GET', '/totp/apps'),
      /** Confirms an enrollment as another app. */
      addApp: (input: { code: string; name?: string }) =>
        send<Responses.NewTotpApp>('POST', '/totp/apps', input),
      renameApp: (id: string, input: { name: string }) =>
        send<Responses.Ok>('PATCH', at`/totp/apps/${id}`, input),
      removeApp: (id: string) => send<Responses.Ok>('DELETE', at`/totp/apps/${id}`),
    },
  };
}
