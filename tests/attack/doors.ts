/** Every door that a secret opens: a route or a cookie, to which anything at all can be shown. */
import { codeAt } from '../support/authenticator-app.js';
import type { Answer } from '../support/http-client.js';
import type { half } from './secrets.js';
import { logIn } from '../support/people.js';
import type { Product } from '../support/whole-product.js';
import type { Account } from '../support/http-site.js';

type Door = [name: string, show: (text: string) => Promise<Answer>, own?: RegExp];

/** Who stands at the doors, each signed in or half in where a door asks for it. */
interface Visitors {
  site: Product;
  email: string;
  phone: string;
  /** Of a session, and of a guest's. */
  cookie: string;
  guest: string;
  unverified: Account;
  pending: Awaited<ReturnType<typeof half>>;
  newPassword: string;
}

/** Each by its name, with the secrets that are its own, which are not to be shown to it. */
export function doorsFor({
  site,
  email,
  phone,
  cookie,
  guest,
  unverified,
  pending,
  newPassword,
}: Visitors): Door[] {
  return [
    ['/email-code/verify', (code) => site.post('/email-code/verify', { email, code })],
    ['/phone/verify', (code) => site.post('/phone/verify', { phone, code })],
    [
      '/guest/upgrade',
      (code) => site.post('/guest/upgrade', { email: site.address(), code }, { cookie: guest }),
    ],
    [
      '/account/verify-email',
      (code) => site.post('/account/verify-email', { code }, { cookie: unverified.cookie }),
    ],
    [
      '/account/email/confirm',
      (code) =>
        site.post('/account/email/confirm', { email: site.address(), code, currentCode: code }, { cookie }),
    ],
    ['/password/login', (password) => logIn(site, email, password)],
    ['/magic-link/verify', (token) => site.get(`/magic-link/verify?token=${token}`), /^a magic link$/],
    ['/password/reset', (token) => site.post('/password/reset', { token, newPassword }), /^a reset$/],
    ['/orgs/invites/accept', (token) => site.post('/orgs/invites/accept', { token }, { cookie })],
    ['/token/refresh', (refreshToken) => site.post('/token/refresh', { refreshToken }), /^a refresh token$/],
    [
      'svc_mfa',
      (text) =>
        site.post(
          '/mfa/verify',
          { code: codeAt(pending.app.secret, site.clock.now()) },
          { cookie: `svc_mfa=${text}` },
        ),
    ],
    [
      'svc_session',
      (text) => site.get('/session', { cookie: `svc_session=${text}` }),
      /^a session$|^an access token$/,
    ],
    [
      'Bearer',
      (text) => site.get('/session', { headers: { Authorization: `Bearer ${text}` } }),
      /^a session$|^an access token$/,
    ],
    ['svc_oauth', (text) => site.get('/google/callback?code=x&state=x', { cookie: `svc_oauth=${text}` })],
  ];
}
