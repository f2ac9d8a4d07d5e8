/**
 * The routes as methods, one line each, named like the operations of docs/openapi.json. Path
 * parameters come first, then the body.
 */
import type { OrgRole } from '../domain/org.js';
import type { TokenPair } from '../domain/refresh-family.js';
import type { UserDataExport } from '../domain/user-data-export.js';
import type * as Responses from './responses.js';
import type { ApiKeyInput, RememberInput, ResetInput, SignUpInput, ChallengeSolution } from './inputs.js';
import { deviceMethods } from './device-methods.js';
import { auditMethods, statisticsMethods, userMethods, type LockdownInput } from './admin-methods.js';
import { AuthClientError } from './error.js';
import { passkeySignaler } from './passkey-signals.js';
import { passkeyCeremonies, passkeySupport, type PasskeySupport } from './passkeys.js';
import { withQuery, type PageInput } from './query.js';
import { secondFactorMethods } from './second-factor-methods.js';
import { at, type RequestHeaders, type Send, type Transport } from './transport.js';

export function createMethods({ send, headersFor }: Transport, base: string) {
  const signaler = passkeySignaler(send);
  const { secondStep, ...ceremonies } = passkeyCeremonies(send, signaler);
  return {
    /** Returns the signed-in user, or null. */
    session: () => currentSession(send),
    /**
     * Returns the headers that authenticate a request which the application sends itself, with the option `bearer`. Call it for each request:
     * with `dpop`, the proof is for this method and URL, and accepted once. Without `bearer`, the cookie authenticates, and there are none.
     */
    requestHeaders: (method: string, url: string): Promise<RequestHeaders> => headersFor(method, url),
    /** Ends this session. Other devices stay signed in. */
    logout: () => send<Responses.Ok>('POST', '/logout'),
    /** For clients that keep the tokens of a bearer session themselves. With the option `bearer`, the client does this. */
    refreshSession: (input: { refreshToken: string }) => send<TokenPair>('POST', '/session/refresh', input),

    emailCode: {
      send: (input: { email: string } & ChallengeSolution) =>
        send<Responses.CodeSent>('POST', '/email-code/send', input),
      verify: (input: { email: string; code: string } & RememberInput) =>
        send<Responses.SignedIn>('POST', '/email-code/verify', input),
    },

    magicLink: {
      send: (input: { email: string } & ChallengeSolution & RememberInput) =>
        send<Responses.LinkSent>('POST', '/magic-link/send', input),
      /** Signs in with the code of a mail that also contains a link: `withCode` of the service. */
      verifyCode: (input: { email: string; code: string } & RememberInput) =>
        send<Responses.SignedIn>('POST', '/magic-link/verify-code', input),
      /**
       * Signs in with the token of a link, with `confirmElsewhere` of the service. Call it only when
       * the user presses a button: mail scanners run the scripts of a page.
       */
      confirm: (input: { token: string } & RememberInput) =>
        send<Responses.SignedIn>('POST', '/magic-link/confirm', input),
    },

    password: {
      /** `user` is absent if the service has mailed a code instead: complete the sign-up with `finishSignup`. */
      signup: (input: SignUpInput) => send<Responses.SignedUp>('POST', '/password/signup', input),
      /** Mails another code. `token` as for `finishSignup`. */
      resendSignup: (input: { token?: string } = {}) =>
        send<Responses.CodeSent>('POST', '/password/signup/resend', input),
      /** `token` is `pending.token` of the sign-up, with the option `bearer`. Otherwise a cookie contains it. */
      finishSignup: (input: { code: string; token?: string } & RememberInput) =>
        send<Responses.SignedIn>('POST', '/password/signup/verify', input),
      /** By address, or by user name if the service has them. */
      login: (
        input: ({ email: string } | { username: string }) & {
          password: string;
          /** The mailed code, after an error with the reason `code_required`. */
          code?: string;
        } & RememberInput,
      ) => send<Responses.WithUser>('POST', '/password/login', input),
      requestReset: (input: { email: string }) =>
        send<Responses.ResetRequested>('POST', '/password/request-reset', input),
      /** With the token of a mailed link, or with an address and the code that was mailed to it. */
      reset: (input: ResetInput) => send<Responses.WithUser>('POST', '/password/reset', input),
      sendVerification: () => send<Responses.SentIfNeeded>('POST', '/password/verify-email/send'),
      verifyEmail: (input: { code: string }) =>
        send<Responses.WithUser>('POST', '/password/verify-email', input),
    },

    signUp: {
      /**
       * Creates the account of a sign-in that was refused with `fields_required`. `token` is `pending.token` of that error, with the
       * option `bearer`. Otherwise a cookie contains it.
       */
      complete: (input: { fields: Record<string, unknown>; token?: string } & RememberInput) =>
        send<Responses.SignedIn>('POST', '/sign-up/complete', input),
    },

    username: {
      get: () => send<Responses.WithUsername>('GET', '/username'),
      /** Null removes the user name. */
      update: (input: { username: string | null }) =>
        signaler.after(send<Responses.WithUsername>('PUT', '/username', input)),
    },

    google: {
      /**
       * Returns the URL to send the browser to. The success redirect repeats `state` as `?state=`.
       */
      startUrl: (state?: string, options?: RememberInput) => startUrl(base, '/google/start', state, options),
      /** Returns the URL to send the browser to, to link a Google account to the signed-in user. */
      link: (input: { state?: string } = {}) => send<Responses.RedirectUrl>('POST', '/google/link', input),
    },

    ...secondFactorMethods(send, secondStep),

    passkeys: {
      list: (page?: PageInput) => send<Responses.Passkeys>('GET', withQuery('/passkeys', page)),
      /** Null restores the name of the authenticator's model. */
      update: (id: string, input: { name: string | null }) =>
        signaler.after(send<Responses.WithPasskey>('PATCH', at`/passkeys/${id}`, input)),
      /** Also removes it from the browser, if it has signals. */
      remove: (id: string) => signaler.after(send<Responses.Ok>('DELETE', at`/passkeys/${id}`), id),
      /** What `sync` signals. */
      signals: () => send<Responses.PasskeySignals>('GET', '/passkeys/signals'),
      /**
       * Signals to the browser which passkeys the user has, and under which name, so that it offers no others. The methods that change
       * these call it: call it after a sign-in. Returns whether it has signaled. Never rejects.
       */
      sync: () => signaler.sync(),
      /**
       * The whole ceremonies: the browser asks the user, and the service registers the passkey,
       * creates an account with it, or signs in.
       */
      ...ceremonies,
      support: (): Promise<PasskeySupport> => passkeySupport(),
      // The single steps, for applications that call the authenticator themselves.
      registerStart: (input?: { automatic?: boolean }) =>
        send<Responses.Ceremony>('POST', '/passkeys/register/start', input),
      registerFinish: (input: Responses.NewPasskeyResponse) =>
        send<Responses.WithPasskey>('POST', '/passkeys/register/finish', input),
      authenticateStart: () => send<Responses.Ceremony>('POST', '/passkeys/authenticate/start'),
      autofillStart: () => send<Responses.Ceremony>('POST', '/passkeys/authenticate/autofill'),
      authenticateFinish: (input: Responses.CeremonyResponse & RememberInput) =>
        send<Responses.WithUser>('POST', '/passkeys/authenticate/finish', input),
      /** Mails a code that proves the address of a new account, if the service requires one. */
      signupSend: (input: { email: string } & ChallengeSolution) =>
        send<Responses.CodeSent>('POST', '/passkeys/signup/send', input),
      signupStart: (input: { email?: string; code?: string; username?: string } & ChallengeSolution) =>
        send<Responses.Ceremony>('POST', '/passkeys/signup/start', input),
      signupFinish: (input: Responses.NewPasskeyResponse) =>
        send<Responses.SignedIn>('POST', '/passkeys/signup/finish', input),
    },

    ...deviceMethods(send),

    oauth: {
      /**
       * Returns the URL to send the browser to. The success redirect repeats `state` as `?state=`.
       */
      startUrl: (name: string, state?: string, options?: RememberInput) =>
        startUrl(base, at`/oauth/${name}/start`(), state, options),
      /**
       * Returns the URL to send the browser to, to link an account at the provider to the signed-in
       * user.
       */
      link: (name: string, input: { state?: string } = {}) =>
        send<Responses.RedirectUrl>('POST', at`/oauth/${name}/link`, input),
    },

    identities: {
      list: () => send<Responses.Identities>('GET', '/identities'),
      remove: (id: string) => send<Responses.Ok>('DELETE', at`/identities/${id}`),
    },

    phone: {
      send: (input: { phone: string } & ChallengeSolution) =>
        send<Responses.Sent>('POST', '/phone/send', input),
      verify: (input: { phone: string; code: string } & RememberInput) =>
        send<Responses.SignedIn>('POST', '/phone/verify', input),
    },

    guest: {
      create: (input?: ChallengeSolution & RememberInput) =>
        send<Responses.SignedIn>('POST', '/guest', input),
      sendUpgrade: (input: { email: string } & ChallengeSolution) =>
        send<Responses.CodeSent>('POST', '/guest/upgrade/send', input),
      /**
       * Gives the guest an email address, with the mailed code or with a password. The user id
       * stays the same.
       */
      upgrade: (
        input: ({ email: string; code: string } | ({ email: string; password: string } & ChallengeSolution)) &
          RememberInput,
      ) => send<Responses.WithUser>('POST', '/guest/upgrade', input),
    },

    account: {
      get: () => send<Responses.Account>('GET', '/account'),
      /** Also removes the passkeys of the account from the browser, if it has signals. */
      async remove() {
        const deleted = await send<Responses.AccountDeleted>('DELETE', '/account');
        await signaler.deleted(deleted.passkeys);
        return deleted;
      },
      export: () => send<UserDataExport>('GET', '/account/export'),
      changePassword: (input: { currentPassword?: string; newPassword: string }) =>
        send<Responses.WithUser>('POST', '/account/password', input),
      sendVerification: () => send<Responses.SentIfNeeded>('POST', '/account/verify-email/send'),
      verifyEmail: (input: { code: string }) =>
        send<Responses.WithUser>('POST', '/account/verify-email', input),
      changeEmail: (input: { email: string }) => send<Responses.ChangeSent>('POST', '/account/email', input),
      confirmEmail: (input: { email: string; code: string; currentCode?: string }) =>
        signaler.after(send<Responses.WithUser>('POST', '/account/email/confirm', input)),
      /** Sets the language of mails and pages. Null follows the language of the requests again. */
      setLanguage: (input: { language: string | null }) =>
        send<Responses.Language>('PUT', '/account/language', input),
      /** Sets the name and the picture, as far as they are given. Null removes them. */
      changeProfile: (input: { name?: string | null; picture?: string | null }) =>
        send<Responses.WithUser>('PATCH', '/account/profile', input),
    },

    apiKeys: {
      list: (page?: PageInput) => send<Responses.ApiKeys>('GET', withQuery('/api-keys', page)),
      create: (input: ApiKeyInput) => send<Responses.CreatedApiKey>('POST', '/api-keys', input),
      remove: (id: string) => send<Responses.Ok>('DELETE', at`/api-keys/${id}`),
    },

    orgs: {
      list: (page?: PageInput) => send<Responses.Orgs>('GET', withQuery('/orgs', page)),
      create: (input: { name: string; slug?: string }) => send<Responses.WithOrg>('POST', '/orgs', input),
      get: (idOrSlug: string) => send<Responses.WithOrg>('GET', at`/orgs/${idOrSlug}`),
      update: (idOrSlug: string, input: { name?: string; picture?: string | null }) =>
        send<Responses.ChangedOrg>('PATCH', at`/orgs/${idOrSlug}`, input),
      remove: (idOrSlug: string) => send<Responses.Ok>('DELETE', at`/orgs/${idOrSlug}`),
      members: {
        list: (org: string, page?: PageInput) =>
          send<Responses.OrgMembers>('GET', withQuery(at`/orgs/${org}/members`, page)),
        update: (org: string, userId: string, input: { role: OrgRole }) =>
          send<Responses.WithMembership>('PUT', at`/orgs/${org}/members/${userId}`, input),
        remove: (org: string, userId: string) =>
          send<Responses.Ok>('DELETE', at`/orgs/${org}/members/${userId}`),
      },
      invites: {
        list: (org: string, page?: PageInput) =>
          send<Responses.OrgInvites>('GET', withQuery(at`/orgs/${org}/invites`, page)),
        create: (org: string, input: { email: string; role?: OrgRole }) =>
          send<Responses.WithInvite>('POST', at`/orgs/${org}/invites`, input),
        remove: (org: string, id: string) => send<Responses.Ok>('DELETE', at`/orgs/${org}/invites/${id}`),
        /** Returns the invite of a token. Needs no session, and does not consume the token. */
        preview: (input: { token: string }) =>
          send<Responses.InvitePreview>('POST', '/orgs/invites/preview', input),
        accept: (input: { token: string }) =>
          send<Responses.WithMembership>('POST', '/orgs/invites/accept', input),
        decline: (input: { token: string }) => send<Responses.Ok>('POST', '/orgs/invites/decline', input),
      },
      apiKeys: {
        list: (org: string, page?: PageInput) =>
          send<Responses.ApiKeys>('GET', withQuery(at`/orgs/${org}/api-keys`, page)),
        create: (org: string, input: ApiKeyInput) =>
          send<Responses.CreatedApiKey>('POST', at`/orgs/${org}/api-keys`, input),
        remove: (org: string, id: string) => send<Responses.Ok>('DELETE', at`/orgs/${org}/api-keys/${id}`),
      },
    },

    /** For administrators, as `authorize` of `createAdminRouter` decides. */
    admin: {
      users: userMethods(send),
      audit: auditMethods(send),
      statistics: statisticsMethods(send),
      /** Ends every session of all users, of the members of an organization or of a user, your own included. */
      lockdown: (input: LockdownInput) => send<Responses.Lockdown>('POST', '/admin/lockdown', input),
    },
  };
}

/** Resolves with null if the user is not signed in, which is not an error here. */
async function currentSession(send: Send): Promise<Responses.WithUser | { user: null }> {
  try {
    return await send<Responses.WithUser>('GET', '/session');
  } catch (error) {
    if (error instanceof AuthClientError && error.code === 'token_invalid') return { user: null };
    throw error;
  }
}

function startUrl(base: string, path: string, state: string | undefined, options?: RememberInput): string {
  const { remember } = options ?? {};
  return base + withQuery(path, { state, ...(remember === false && { remember: 'false' }) })();
}
