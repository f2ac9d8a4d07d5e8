/** Every route or cookie that accepts a secret, so that a test can present any value to it. */
import { codeAt } from '../support/authenticator-app.js';
import type { HttpResponse } from '../support/http-client.js';
import type { startMfaSignIn } from './secrets.js';
import { logIn } from '../support/site-actions.js';
import type { SiteWithProviders } from '../support/full-site.js';
import type { Account } from '../support/http-site.js';

type Door = [name: string, show: (text: string) => Promise<HttpResponse>, own?: RegExp];

/** The accounts that present secrets, each signed in or pending if a route requires it. */
interface Visitors {
  site: SiteWithProviders;
  email: string;
  phone: string;
  /** Cookie of a session. */
  cookie: string;
  /** Cookie of a guest session. */
  guest: string;
  unverified: Account;
  pending: Awaited<ReturnType<typeof startMfaSignIn>>;
  newPassword: string;
}

/** Returns each route with the pattern of the secrets that it accepts, which tests must not present to it. */
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
    ['/magic-link/verify-code', (code) => site.post('/magic-link/verify-code', { email, code })],
    ['/phone/verify', (code) => site.post('/phone/verify', { phone, code })],
    [
      '/guest/upgrade',
      (code) => site.post('/guest/upgrade', { email: site.uniqueEmail(), code }, { cookie: guest }),
    ],
    [
      '/account/verify-email',
      (code) => site.post('/account/verify-email', { code }, { cookie: unverified.cookie }),
    ],
    [
      '/account/email/confirm',
      (code) =>
        site.post(
          '/account/email/confirm',
          { email: site.uniqueEmail(), code, currentCode: code },
          { cookie },
        ),
    ],
    ['/password/login', (password) => logIn(site, email, password)],
    ['/magic-link/verify', (token) => site.get(`/magic-link/verify?token=${token}`), /^a magic link$/],
    ['/password/reset', (token) => site.post('/password/reset', { token, newPassword }), /^a reset token$/],
    ['/password/reset by code', (code) => site.post('/password/reset', { email, code, newPassword })],
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
