/**
 * What takes several steps in their order, as data: who sends what, and where what is in it comes from. `{code of address of fresh}` is
 * what the storm knows by then (knowledge.ts): here the newest code that was mailed to the address of `fresh`.
 */
import { goodPassword } from '../../support/http-site.js';
import type { Caller } from './drawn.js';

export interface Step {
  as: Caller;
  /** Method, path and query, with what is to be filled in in braces. */
  send: string;
  /** JSON; a text is a form. */
  body?: Readonly<Record<string, string>> | string;
  /** What passes before. */
  waitMs?: number;
}

/**
 * What is drawn once per move. `stranger`: an address of some; `newcomer` and `another`: addresses that nobody has; `phone`: a number
 * of some. `subject`, who signs in at the identity provider, is filled in by itself.
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
const [nobody, guest, member, fresh] = [by('nobody'), by('guest'), by('member'), by('fresh')];

const password = goodPassword;
// An app shows each code for so long, and each is accepted once.
const nextCode = { waitMs: 30_000 };

const byEmailCode = (address: string) => [
  nobody('POST /email-code/send', { email: address }),
  nobody('POST /email-code/verify', { email: address, code: `{code of ${address.slice(1, -1)}}` }),
];
const withApp = [
  fresh('POST /totp/enroll'),
  fresh('POST /totp/confirm', { code: '{totp of fresh}' }),
  fresh('POST /totp/recovery-codes'),
  nobody('POST /password/login', { email: '{address of fresh}', password }),
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
  nobody(`GET ${path}/start`),
  nobody(`GET ${path}/callback?{callbackQuery of nobody}`),
];
const linked = (path: string) => [
  fresh(`POST ${path}/link`, {}),
  fresh(`GET ${path}/callback?{callbackQuery of fresh}`),
  fresh('GET /identities'),
  fresh('DELETE /identities/{identities.id of fresh}'),
];

export const moves: Readonly<Record<string, readonly Step[]>> = {
  'a code by email': byEmailCode('{stranger}'),
  'a magic link': [
    nobody('POST /magic-link/send', { email: '{stranger}' }),
    nobody('GET /magic-link/verify?{linkQuery of stranger}'),
  ],
  'a code by text message': [
    nobody('POST /phone/send', { phone: '{phone}' }),
    nobody('POST /phone/verify', { phone: '{phone}', code: '{code of phone}' }),
  ],
  'a forgotten password': [
    member('GET /session'),
    nobody('POST /password/request-reset', { email: '{address of member}' }),
    nobody('POST /password/reset', { token: '{token of address of member}', newPassword: password }),
    nobody('POST /password/login', { email: '{address of member}', password }),
  ],
  'another password': [
    fresh('POST /account/password', { currentPassword: password, newPassword: password }),
    fresh('GET /account/export'),
  ],
  'a proven address': [
    nobody('POST /password/signup', { email: '{newcomer}', password }),
    nobody('POST /account/verify-email/send'),
    nobody('POST /account/verify-email', { code: '{code of newcomer}' }),
    nobody('GET /account'),
  ],
  'another address': [
    fresh('POST /account/email', { email: '{newcomer}' }),
    fresh('POST /account/email/confirm', { email: '{newcomer}', code: '{code of newcomer}' }),
  ],
  'another address for one that was proven': [
    ...byEmailCode('{newcomer}'),
    nobody('POST /account/email', { email: '{another}' }),
    nobody('POST /account/email/confirm', {
      ...{ email: '{another}', code: '{code of another}', currentCode: '{code of newcomer}' },
    }),
  ],
  'a guest who proves an address': [
    guest('POST /guest/upgrade/send', { email: '{newcomer}' }),
    guest('POST /guest/upgrade', { email: '{newcomer}', code: '{code of newcomer}' }),
  ],
  'a guest who chooses a password': [
    guest('POST /guest'),
    guest('POST /guest/upgrade', { email: '{newcomer}', password }),
    guest('POST /account/verify-email/send'),
  ],
  'a second factor': [
    ...withApp,
    nobody('POST /mfa/verify', { code: '{totp of fresh}' }, nextCode),
    nobody('GET /totp'),
    nobody('POST /totp/disable'),
  ],
  'a recovery code': [...withApp, nobody('POST /mfa/verify', { recoveryCode: '{recoveryCodes of fresh}' })],
  'a passkey': [
    ...withPasskey,
    nobody('POST /passkeys/authenticate/start'),
    nobody('POST /passkeys/authenticate/finish', { response: '{response of nobody}' }),
    nobody('GET /passkeys'),
    nobody('DELETE /passkeys/{passkeys.id of fresh}'),
  ],
  google: byProvider('/google'),
  'the identity provider': byProvider('/idp'),
  'an OAuth provider': byProvider('/oauth/acme'),
  'an OAuth provider that posts': [
    nobody('GET /oauth/acme/start?state=/welcome'),
    nobody('POST /oauth/acme/callback', '{callbackQuery of nobody}'),
    nobody('GET /oauth/acme/callback?{callbackQuery of nobody}'),
  ],
  'a link to google': linked('/google'),
  'a link to an OAuth provider': linked('/oauth/acme'),
  'an invite that is accepted': inOrg(
    ...byEmailCode('{stranger}'),
    nobody('POST /orgs/invites/accept', { token: '{token of stranger}' }),
    fresh('PUT /orgs/{orgs.id of fresh}/members/{userId of nobody}', { role: 'admin' }),
    nobody('GET /orgs'),
    nobody('GET /orgs/{orgs.id of fresh}/members'),
    fresh('DELETE /orgs/{orgs.id of fresh}/members/{userId of nobody}'),
  ),
  'an invite that is previewed': inOrg(
    nobody('POST /orgs/invites/preview', { token: '{token of stranger}' }),
  ),
  'an invite that is withdrawn': inOrg(
    fresh('GET /orgs/{orgs.id of fresh}/invites'),
    fresh('DELETE /orgs/{orgs.id of fresh}/invites/{inviteId of fresh}'),
  ),
  'the key of an organisation': [
    fresh('POST /orgs', { name: 'Acme' }),
    fresh('POST /orgs/{orgs.id of fresh}/api-keys', { name: 'deploy' }),
    fresh('GET /orgs/{orgs.id of fresh}/api-keys'),
    fresh('DELETE /orgs/{orgs.id of fresh}/api-keys/{api-keys.id of fresh}'),
    fresh('GET /orgs/{orgs.id of fresh}'),
    fresh('DELETE /orgs/{orgs.id of fresh}'),
  ],
  'a key of one’s own': [
    fresh('POST /api-keys', { name: 'deploy' }),
    fresh('GET /api-keys'),
    fresh('DELETE /api-keys/{api-keys.id of fresh}'),
  ],
  'a pair of tokens': [
    fresh('POST /token/issue', {}),
    nobody('POST /token/refresh', { refreshToken: '{refreshToken of fresh}' }),
    nobody('POST /token/revoke', { refreshToken: '{refreshToken of nobody}' }),
  ],
  'a refresh family that is revoked': [
    fresh('POST /token/issue', {}),
    fresh('GET /tokens'),
    fresh('DELETE /tokens/{tokens.id of fresh}'),
  ],
  'another device': [
    nobody('POST /password/login', { email: '{address of member}', password }),
    nobody('GET /devices'),
    member('DELETE /devices/{devices.id of nobody}'),
    member('POST /devices/revoke-others'),
  ],
  'an account that ends': [
    nobody('POST /password/signup', { email: '{newcomer}', password }),
    nobody('GET /session'),
    nobody('POST /logout'),
    nobody('POST /password/login', { email: '{newcomer}', password }),
    nobody('DELETE /account'),
  ],
};
