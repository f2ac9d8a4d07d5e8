/**
 * The routes as methods: a line each, named as the operation in docs/openapi.json. Parameters of the path come first, then the body.
 */
import type { OrgRole } from '../domain/org.js';
import type { TokenPair } from '../domain/refresh-family.js';
import type { UserDataExport } from '../domain/user-data-export.js';
import type * as Answer from './answers.js';
import { AuthClientError } from './error.js';
import { authenticateByPasskey, passkeySupport, registerPasskey } from './passkeys.js';
import { at, type Send } from './transport.js';

/** Of a new API key. */
export interface ApiKeyInput {
  name: string;
  scopes?: string[];
  expiresAt?: Date;
}

/** A part of a list: at most `limit` rows (default 100, at most 200). */
export interface PageInput {
  /** `nextCursor` of the page before. Absent or null: the first page. */
  cursor?: string | null;
  limit?: number;
}

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
      reset: (input: { token: string; newPassword: string; revokeCredentials?: boolean }) =>
        send<Answer.WithUser>('POST', '/password/reset', input),
    },

    google: {
      /** Where to send the browser; `state` comes back as `?state=`. */
      startUrl: (state?: string) => startUrl(base, '/google/start', state),
      /** Where to send the browser of who is signed in, to link an account there. */
      link: (input: { state?: string } = {}) => send<Answer.RedirectUrl>('POST', '/google/link', input),
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
      list: (page?: PageInput) => send<Answer.Passkeys>('GET', paged('/passkeys', page)),
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
      list: (page?: PageInput) => send<Answer.Devices>('GET', paged('/devices', page)),
      revoke: (id: string) => send<Answer.Ok>('DELETE', at`/devices/${id}`),
      revokeOthers: () => send<Answer.Ok>('POST', '/devices/revoke-others'),
    },

    oauth: {
      /** Where to send the browser, for the provider of this name; `state` comes back as `?state=`. */
      startUrl: (name: string, state?: string) => startUrl(base, at`/oauth/${name}/start`(), state),
      /** Where to send the browser of who is signed in, to link an account at the provider. */
      link: (name: string, input: { state?: string } = {}) =>
        send<Answer.RedirectUrl>('POST', at`/oauth/${name}/link`, input),
    },

    identities: {
      list: () => send<Answer.Identities>('GET', '/identities'),
      remove: (id: string) => send<Answer.Ok>('DELETE', at`/identities/${id}`),
    },

    phone: {
      send: (input: { phone: string }) => send<Answer.Sent>('POST', '/phone/send', input),
      verify: (input: { phone: string; code: string }) =>
        send<Answer.SignedIn>('POST', '/phone/verify', input),
    },

    token: {
      issue: (input: { device?: { name?: string } } = {}) => send<TokenPair>('POST', '/token/issue', input),
      refresh: (input: { refreshToken: string }) => send<TokenPair>('POST', '/token/refresh', input),
      revoke: (input: { refreshToken: string }) => send<Answer.Ok>('POST', '/token/revoke', input),
    },

    tokens: {
      list: (page?: PageInput) => send<Answer.RefreshFamilies>('GET', paged('/tokens', page)),
      revoke: (id: string) => send<Answer.Ok>('DELETE', at`/tokens/${id}`),
    },

    guest: {
      create: () => send<Answer.SignedIn>('POST', '/guest'),
      sendUpgrade: (input: { email: string }) => send<Answer.Sent>('POST', '/guest/upgrade/send', input),
      /** The same user from then on, with an address: by the mailed code, or by a password. */
      upgrade: (input: { email: string; code: string } | { email: string; password: string }) =>
        send<Answer.WithUser>('POST', '/guest/upgrade', input),
    },

    account: {
      get: () => send<Answer.Account>('GET', '/account'),
      remove: () => send<Answer.Ok>('DELETE', '/account'),
      export: () => send<UserDataExport>('GET', '/account/export'),
      changePassword: (input: { currentPassword?: string; newPassword: string }) =>
        send<Answer.WithUser>('POST', '/account/password', input),
      sendVerification: () => send<Answer.SentIfNeeded>('POST', '/account/verify-email/send'),
      verifyEmail: (input: { code: string }) => send<Answer.WithUser>('POST', '/account/verify-email', input),
      changeEmail: (input: { email: string }) => send<Answer.ChangeSent>('POST', '/account/email', input),
      confirmEmail: (input: { email: string; code: string; currentCode?: string }) =>
        send<Answer.WithUser>('POST', '/account/email/confirm', input),
    },

    apiKeys: {
      list: (page?: PageInput) => send<Answer.ApiKeys>('GET', paged('/api-keys', page)),
      create: (input: ApiKeyInput) => send<Answer.CreatedApiKey>('POST', '/api-keys', input),
      remove: (id: string) => send<Answer.Ok>('DELETE', at`/api-keys/${id}`),
    },

    orgs: {
      list: (page?: PageInput) => send<Answer.Orgs>('GET', paged('/orgs', page)),
      create: (input: { name: string; slug?: string }) => send<Answer.WithOrg>('POST', '/orgs', input),
      get: (idOrSlug: string) => send<Answer.WithOrg>('GET', at`/orgs/${idOrSlug}`),
      remove: (idOrSlug: string) => send<Answer.Ok>('DELETE', at`/orgs/${idOrSlug}`),
      members: {
        list: (org: string, page?: PageInput) =>
          send<Answer.OrgMembers>('GET', paged(at`/orgs/${org}/members`, page)),
        update: (org: string, userId: string, input: { role: OrgRole }) =>
          send<Answer.WithMembership>('PUT', at`/orgs/${org}/members/${userId}`, input),
        remove: (org: string, userId: string) =>
          send<Answer.Ok>('DELETE', at`/orgs/${org}/members/${userId}`),
      },
      invites: {
        list: (org: string, page?: PageInput) =>
          send<Answer.OrgInvites>('GET', paged(at`/orgs/${org}/invites`, page)),
        create: (org: string, input: { email: string; role?: OrgRole }) =>
          send<Answer.WithInvite>('POST', at`/orgs/${org}/invites`, input),
        remove: (org: string, id: string) => send<Answer.Ok>('DELETE', at`/orgs/${org}/invites/${id}`),
        /** What the token of an invite reveals, signed in or not. Does not use it up. */
        preview: (input: { token: string }) =>
          send<Answer.InvitePreview>('POST', '/orgs/invites/preview', input),
        accept: (input: { token: string }) =>
          send<Answer.WithMembership>('POST', '/orgs/invites/accept', input),
      },
      apiKeys: {
        list: (org: string, page?: PageInput) =>
          send<Answer.ApiKeys>('GET', paged(at`/orgs/${org}/api-keys`, page)),
        create: (org: string, input: ApiKeyInput) =>
          send<Answer.CreatedApiKey>('POST', at`/orgs/${org}/api-keys`, input),
        remove: (org: string, id: string) => send<Answer.Ok>('DELETE', at`/orgs/${org}/api-keys/${id}`),
      },
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

/** The path of a list with the page in its query. Made within the request, as `at` is. */
function paged(path: string | (() => string), { cursor = null, limit }: PageInput = {}): () => string {
  const query = [
    ...(cursor === null ? [] : [`cursor=${encodeURIComponent(cursor)}`]),
    ...(limit === undefined ? [] : [`limit=${limit}`]),
  ].join('&');
  return () => (typeof path === 'string' ? path : path()) + (query === '' ? '' : `?${query}`);
}
