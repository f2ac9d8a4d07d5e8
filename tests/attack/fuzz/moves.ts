/**
 * Sequences of requests as data: the caller, the request, and where its values come from. `{code of address of fresh}` is what the
 * storm has learned by then (knowledge.ts), here the newest code that was mailed to the address of `fresh`.
 */
import { validPassword } from '../../support/http-site.js';
import type { Caller } from './drawn.js';

export interface Step {
  as: Caller;
  /** Method, path and query, with placeholders in braces. */
  send: string;
  /** JSON fields; a string is a form body. */
  body?: Readonly<Record<string, string | null>> | string;
  /** Milliseconds that pass before the request. */
  waitMs?: number;
}

/**
 * Values generated once per move. `stranger`: one of several addresses; `newcomer` and `another`: addresses without an account;
 * `phone`: one of several numbers; `subject`: who signs in at the identity provider, filled in automatically.
 */
export type Drawn = 'stranger' | 'newcomer' | 'another' | 'phone' | 'subject';

const by =
  (as: Caller) =>
  (send: string, body?: Step['body'], more: Pick<Step, 'waitMs'> = {}): Step => ({
    as,
    send,
    ...(body !== undefined && { body }),
    ...more,
  });
const [visitor, guest, member, fresh] = [by('visitor'), by('guest'), by('member'), by('fresh')];

const password = validPassword;
// An app shows a code for this long, and each code is accepted once.
const nextCode = { waitMs: 30_000 };

const byEmailCode = (address: string) => [
  visitor('POST /email-code/send', { email: address }),
  visitor('POST /email-code/verify', { email: address, code: `{code of ${address.slice(1, -1)}}` }),
];
const withApp = [
  fresh('POST /totp/enroll'),
  fresh('POST /totp/confirm', { code: '{totp of fresh}' }),
  fresh('POST /totp/recovery-codes'),
  visitor('POST /password/login', { email: '{address of fresh}', password }),
];
const withPasskey = [
  fresh('POST /passkeys/register/start'),
  fresh('POST /passkeys/register/finish', { response: '{response of fresh}' }),
];
const inOrg = (...steps: Step[]) => [
  fresh('POST /orgs', { name: 'Acme' }),
  fresh('POST /orgs/{orgs.id of fresh}/invites', { email: '{stranger}' }),
  ...steps,
];
const byProvider = (path: string) => [
  visitor(`GET ${path}/start`),
  visitor(`GET ${path}/callback?{callbackQuery of visitor}`),
];
const linkTo = (path: string) => [
  fresh(`POST ${path}/link`, {}),
  fresh(`GET ${path}/callback?{callbackQuery of fresh}`),
  fresh('GET /identities'),
  fresh('DELETE /identities/{identities.id of fresh}'),
];

export const moves: Readonly<Record<string, readonly Step[]>> = {
  'an email code': byEmailCode('{stranger}'),
  'a magic link': [
    visitor('POST /magic-link/send', { email: '{stranger}' }),
    visitor('GET /magic-link/verify?{linkQuery of stranger}'),
  ],
  'the code of a magic link': [
    visitor('POST /magic-link/send', { email: '{stranger}' }),
    visitor('POST /magic-link/verify-code', { email: '{stranger}', code: '{code of stranger}' }),
  ],
  'a magic link that is opened elsewhere': [
    visitor('POST /magic-link/send', { email: '{stranger}' }),
    member('GET /magic-link/verify?{linkQuery of stranger}'),
    member('POST /magic-link/verify?{linkQuery of stranger}', 'proof=none'),
    visitor('POST /magic-link/confirm', { token: '{token of stranger}' }),
  ],
  'a text message code': [
    visitor('POST /phone/send', { phone: '{phone}' }),
    visitor('POST /phone/verify', { phone: '{phone}', code: '{code of phone}' }),
  ],
  'a phone number of an account': [
    fresh('POST /phone/link/send', { phone: '{phone}' }),
    fresh('POST /phone/link', { phone: '{phone}', code: '{code of phone}' }),
    fresh('GET /phones'),
    fresh('DELETE /phones/00000000-0000-4000-8000-000000000000'),
  ],
  'a bearer session': [visitor('POST /session/refresh', { refreshToken: 'unknown' })],
  'a forgotten password': [
    member('GET /session'),
    visitor('POST /password/request-reset', { email: '{address of member}' }),
    visitor('POST /password/reset', { token: '{token of address of member}', newPassword: password }),
    visitor('POST /password/login', { email: '{address of member}', password }),
  ],
  'a forgotten password, with the code of the mail': [
    member('GET /session'),
    visitor('POST /password/request-reset', { email: '{address of member}' }),
    visitor('POST /password/reset', {
      email: '{address of member}',
      code: '{code of address of member}',
      newPassword: password,
    }),
    visitor('POST /password/login', { email: '{address of member}', password }),
  ],
  'a password change': [
    fresh('POST /account/password', { currentPassword: password, newPassword: password }),
    fresh('GET /account/export'),
    fresh('PUT /account/language', { language: 'de' }),
    fresh('PATCH /account/profile', { name: 'Ada Lovelace' }),
  ],
  'a verified address': [
    visitor('POST /password/signup', { email: '{newcomer}', password }),
    visitor('POST /account/verify-email/send'),
    visitor('POST /account/verify-email', { code: '{code of newcomer}' }),
    visitor('GET /account'),
  ],
  'a change of email address': [
    fresh('POST /account/email', { email: '{newcomer}' }),
    fresh('POST /account/email/confirm', { email: '{newcomer}', code: '{code of newcomer}' }),
  ],
  'a change of a verified email address': [
    ...byEmailCode('{newcomer}'),
    visitor('POST /account/email', { email: '{another}' }),
    visitor('POST /account/email/confirm', {
      ...{ email: '{another}', code: '{code of another}', currentCode: '{code of newcomer}' },
    }),
  ],
  'a guest upgrade by code': [
    guest('POST /guest/upgrade/send', { email: '{newcomer}' }),
    guest('POST /guest/upgrade', { email: '{newcomer}', code: '{code of newcomer}' }),
  ],
  'a guest upgrade by password': [
    guest('POST /guest'),
    guest('POST /guest/upgrade', { email: '{newcomer}', password }),
    guest('POST /account/verify-email/send'),
  ],
  'a second factor': [
    ...withApp,
    visitor('POST /mfa/verify', { code: '{totp of fresh}' }, nextCode),
    visitor('GET /totp'),
    visitor('POST /totp/disable'),
  ],
  'a code by email as the second factor': [
    ...withApp.slice(0, 2),
    fresh('POST /account/verify-email/send'),
    fresh('POST /account/verify-email', { code: '{code of address of fresh}' }),
    fresh('POST /second-factor/email/enable'),
    fresh('PUT /second-factor/preferred', { method: 'email' }),
    fresh('GET /second-factor'),
    visitor('POST /password/login', { email: '{address of fresh}', password }),
    visitor('GET /mfa'),
    visitor('POST /mfa/email/send'),
    visitor('POST /mfa/email/verify', { code: '{code of address of fresh}' }),
    visitor('POST /second-factor/email/disable'),
  ],
  'several authenticator apps': [
    ...withApp.slice(0, 2),
    fresh('POST /totp/enroll'),
    fresh('POST /totp/apps', { code: '{totp of fresh}', name: 'Tablet' }),
    fresh('GET /totp/apps'),
    fresh('PATCH /totp/apps/{apps.id of fresh}', { name: 'Phone' }),
    fresh('DELETE /totp/apps/{apps.id of fresh}'),
  ],
  'trusted browsers': [
    fresh('GET /trusted-browsers'),
    fresh('DELETE /trusted-browsers/00000000-0000-4000-8000-000000000000'),
    fresh('POST /trusted-browsers/revoke-all'),
  ],
  'a recovery code': [...withApp, visitor('POST /mfa/verify', { recoveryCode: '{recoveryCodes of fresh}' })],
  'a passkey': [
    ...withPasskey,
    visitor('POST /passkeys/authenticate/start'),
    visitor('POST /passkeys/authenticate/finish', { response: '{response of visitor}' }),
    visitor('GET /passkeys'),
    visitor('GET /passkeys/signals'),
    visitor('PATCH /passkeys/{passkeys.id of fresh}', { name: 'Laptop' }),
    visitor('DELETE /passkeys/{passkeys.id of fresh}'),
  ],
  'a passkey among the suggestions of a form': [
    ...withPasskey,
    visitor('POST /passkeys/authenticate/autofill'),
    visitor('POST /passkeys/authenticate/finish', { response: '{response of visitor}' }),
  ],
  'a sign-up with a passkey': [
    visitor('POST /passkeys/signup/send', { email: '{newcomer}' }),
    visitor('POST /passkeys/signup/start', { email: '{newcomer}', code: '{code of newcomer}' }),
    visitor('POST /passkeys/signup/finish', { response: '{response of visitor}' }),
    visitor('GET /passkeys'),
  ],
  'a passkey as the second factor': [
    ...withPasskey,
    ...withApp,
    visitor('POST /mfa/passkey/start'),
    visitor('POST /mfa/passkey/finish', { response: '{response of visitor}' }),
  ],
  google: byProvider('/google'),
  'the identity provider': byProvider('/idp'),
  'an OAuth provider': byProvider('/oauth/acme'),
  'an OAuth provider with a form post': [
    visitor('GET /oauth/acme/start?state=/welcome'),
    visitor('POST /oauth/acme/callback', '{callbackQuery of visitor}'),
    visitor('GET /oauth/acme/callback?{callbackQuery of visitor}'),
  ],
  'a link to google': linkTo('/google'),
  'a link to an OAuth provider': linkTo('/oauth/acme'),
  'an accepted invite': inOrg(
    ...byEmailCode('{stranger}'),
    visitor('POST /orgs/invites/accept', { token: '{token of stranger}' }),
    fresh('PUT /orgs/{orgs.id of fresh}/members/{userId of visitor}', { role: 'admin' }),
    visitor('GET /orgs'),
    visitor('GET /orgs/{orgs.id of fresh}/members'),
    fresh('DELETE /orgs/{orgs.id of fresh}/members/{userId of visitor}'),
  ),
  'a previewed invite': inOrg(visitor('POST /orgs/invites/preview', { token: '{token of stranger}' })),
  'a revoked invite': inOrg(
    fresh('GET /orgs/{orgs.id of fresh}/invites'),
    fresh('DELETE /orgs/{orgs.id of fresh}/invites/{inviteId of fresh}'),
  ),
  'a declined invite': inOrg(
    ...byEmailCode('{stranger}'),
    visitor('POST /orgs/invites/decline', { token: '{token of stranger}' }),
  ),
  'a renamed organization': [
    fresh('POST /orgs', { name: 'Acme' }),
    fresh('PATCH /orgs/{orgs.id of fresh}', { name: 'Acme Ltd' }),
  ],
  'an API key of an organization': [
    fresh('POST /orgs', { name: 'Acme' }),
    fresh('POST /orgs/{orgs.id of fresh}/api-keys', { name: 'deploy' }),
    fresh('GET /orgs/{orgs.id of fresh}/api-keys'),
    fresh('DELETE /orgs/{orgs.id of fresh}/api-keys/{api-keys.id of fresh}'),
    fresh('GET /orgs/{orgs.id of fresh}'),
    fresh('DELETE /orgs/{orgs.id of fresh}'),
  ],
  'a personal API key': [
    fresh('POST /api-keys', { name: 'deploy' }),
    fresh('GET /api-keys'),
    fresh('DELETE /api-keys/{api-keys.id of fresh}'),
  ],
  'a pair of tokens': [
    fresh('POST /token/issue', {}),
    visitor('POST /token/refresh', { refreshToken: '{refreshToken of fresh}' }),
    visitor('POST /token/revoke', { refreshToken: '{refreshToken of visitor}' }),
  ],
  'a revoked refresh family': [
    fresh('POST /token/issue', {}),
    fresh('GET /tokens'),
    fresh('DELETE /tokens/{tokens.id of fresh}'),
  ],
  'another device': [
    visitor('POST /password/login', { email: '{address of member}', password }),
    visitor('GET /devices'),
    member('GET /activity'),
    member('GET /connected-apps'),
    member('DELETE /connected-apps/unknown'),
    member('GET /devices/all'),
    member('DELETE /devices/browser/00000000-0000-4000-8000-000000000000'),
    member('DELETE /devices/{devices.id of visitor}'),
    member('POST /devices/revoke-others'),
  ],
  'a verified address and a user name': [
    visitor('POST /password/signup', { email: '{newcomer}', password }),
    visitor('POST /password/verify-email/send'),
    visitor('POST /password/verify-email', { code: '{code of newcomer}' }),
    visitor('PUT /username', { username: 'ada.lovelace' }),
    visitor('PUT /username', { username: null }),
    visitor('GET /username'),
  ],
  'an administrator': [
    visitor('POST /password/signup', { email: '{newcomer}', password }),
    fresh('GET /admin/users'),
    fresh('GET /admin/audit'),
    fresh('GET /admin/users/count'),
    fresh('GET /admin/statistics'),
    fresh('GET /activity'),
    fresh('GET /admin/users/{userId of visitor}'),
    ...['sessions', 'identities', 'tokens', 'passkeys', 'totp', 'api-keys', 'orgs'].map((list) =>
      fresh(`GET /admin/users/{userId of visitor}/${list}`),
    ),
  ],
  'a deleted account': [
    visitor('POST /password/signup', { email: '{newcomer}', password }),
    visitor('GET /session'),
    visitor('POST /logout'),
    visitor('POST /password/login', { email: '{newcomer}', password }),
    visitor('DELETE /account'),
  ],
};
