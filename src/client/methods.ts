/**
 * The routes as methods: a line each, named as the operation in docs/openapi.json. Parameters of the path come first, then the body.
 */
import type * as Answer from './answers.js';
import { AuthClientError } from './error.js';
import { authenticateByPasskey, passkeySupport, registerPasskey } from './passkeys.js';
import { at, type Send } from './transport.js';

export function createMethods(send: Send, base: string) {
  return {
    /** Who is signed in; null where nobody is. */
    session: () => currentSession(send),
    /** Ends this session; other devices stay signed in. */
    logout: () => send<Answer.Ok>('POST', '/logout'),

    emailCode: {
      send: (input: { email: string }) => send<Answer.Sent>('POST', '/email-code/send', input),
      verify: (input: { email: string; code: string }) =>
        send<Answer.SignedIn>('POST', '/email-code/verify', input),
    },

    magicLink: {
      send: (input: { email: string }) => send<Answer.Sent>('POST', '/magic-link/send', input),
    },

    password: {
      signup: (input: { email: string; password: string }) =>
        send<Answer.WithUser>('POST', '/password/signup', input),
      login: (input: { email: string; password: string }) =>
        send<Answer.WithUser>('POST', '/password/login', input),
      requestReset: (input: { email: string }) =>
        send<Answer.ResetRequested>('POST', '/password/request-reset', input),
      reset: (input: { token: string; newPassword: string }) =>
        send<Answer.WithUser>('POST', '/password/reset', input),
    },

    google: {
      /** Where to send the browser; `state` comes back as `?state=`. */
      startUrl: (state?: string) => startUrl(base, '/google/start', state),
    },

    mfa: {
      /** Finishes a sign-in that was refused with `mfa_required`. */
      verify: (input: { code: string } | { recoveryCode: string }) =>
        send<Answer.WithUser>('POST', '/mfa/verify', input),
    },

    totp: {
      state: () => send<Answer.TotpState>('GET', '/totp'),
      enroll: () => send<Answer.TotpEnrollment>('POST', '/totp/enroll'),
      confirm: (input: { code: string }) => send<Answer.RecoveryCodes>('POST', '/totp/confirm', input),
      recoveryCodes: () => send<Answer.RecoveryCodes>('POST', '/totp/recovery-codes'),
      disable: () => send<Answer.Ok>('POST', '/totp/disable'),
    },

    passkeys: {
      list: () => send<Answer.Passkeys>('GET', '/passkeys'),
      remove: (id: string) => send<Answer.Ok>('DELETE', at`/passkeys/${id}`),
      /** The whole ceremony: the person is asked, and the passkey is theirs. */
      register: () => registerPasskey(send),
      /** The whole ceremony. With `autofill` it waits until a passkey is picked from a form's suggestions. */
      authenticate: (options: { autofill?: boolean } = {}) =>
        authenticateByPasskey(send, options.autofill ?? false),
      support: passkeySupport,
      // The four steps, for whoever talks to the authenticator by other means.
      registerStart: () => send<Answer.Ceremony>('POST', '/passkeys/register/start'),
      registerFinish: (input: Answer.CeremonyAnswer) =>
        send<Answer.WithPasskey>('POST', '/passkeys/register/finish', input),
      authenticateStart: () => send<Answer.Ceremony>('POST', '/passkeys/authenticate/start'),
      authenticateFinish: (input: Answer.CeremonyAnswer) =>
        send<Answer.WithUser>('POST', '/passkeys/authenticate/finish', input),
    },

    devices: {
      list: () => send<Answer.Devices>('GET', '/devices'),
      revoke: (id: string) => send<Answer.Ok>('DELETE', at`/devices/${id}`),
      revokeOthers: () => send<Answer.Ok>('POST', '/devices/revoke-others'),
    },
  };
}

/** That nobody is signed in is an answer to the question, and no failure. */
async function currentSession(send: Send): Promise<Answer.WithUser | { user: null }> {
  try {
    return await send<Answer.WithUser>('GET', '/session');
  } catch (error) {
    if (error instanceof AuthClientError && error.code === 'token_invalid') return { user: null };
    throw error;
  }
}

function startUrl(base: string, path: string, state: string | undefined): string {
  return base + path + (state === undefined ? '' : `?state=${encodeURIComponent(state)}`);
}
