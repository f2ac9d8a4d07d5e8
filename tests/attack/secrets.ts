/** Every single-use secret as an attacker meets it: its value, the route that accepts it, and its lifetime. */
import { softwareAuthenticator } from 'svc-auth/testing';
import type { HttpResponse } from '../support/http-client.js';
import { validPassword } from '../support/http-site.js';
import { day, minute } from '../support/make-pro-service.js';
import { addPasskey, enrollTotp, requestResetToken, uniquePhone } from '../support/site-actions.js';
import type { SiteWithProviders } from '../support/full-site.js';

export interface Secret {
  /** The secret itself, as mailed, sent by text message, shown or set in a cookie. */
  text: string;
  /** Presents the secret to its route, or another value instead if one is given. */
  use: (text?: string) => Promise<HttpResponse>;
}

export interface SecretKind {
  name: string;
  /** Absent if the secret lives as long as what it protects. */
  ttlMs?: number;
  /** For codes of a few digits: how many guesses are evaluated. */
  guesses?: number;
  make: (site: SiteWithProviders) => Promise<Secret>;
}

export const isAccepted = ({ status, location, cookies }: HttpResponse) =>
  status === 200 || (status === 302 && !location?.includes('error=') && cookies.length > 0);

/** Signs in with a first factor and returns the pending sign-in with its authenticator app. */
export async function startMfaSignIn(site: SiteWithProviders) {
  const { email, cookie } = await site.signInByCode();
  const app = await enrollTotp(site, cookie);
  const again = async () => {
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email);
    return (await site.post('/email-code/verify', { email, code })).cookie('svc_mfa');
  };
  return { app, again, waiting: await again() };
}

/** Starts four pending sign-ins in four browsers, the most that the limit on mailed codes allows; each attempt uses the next. */
async function startSeveralMfaSignIns(site: SiteWithProviders) {
  const { app, again, waiting: first } = await startMfaSignIn(site);
  const waiting = [first];
  while (waiting.length < 4) waiting.push(await again());
  let at = 0;
  const verify = (body: object) =>
    site.post('/mfa/verify', body, { cookie: waiting[(at += 1) % waiting.length] });
  return { app, verify };
}

const valueOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);

export const secretKinds: readonly SecretKind[] = [
  {
    name: 'an email code',
    ttlMs: 10 * minute,
    guesses: 5,
    async make(site) {
      const email = site.uniqueEmail();
      await site.post('/email-code/send', { email });
      const text = site.mail.lastCode(email)!;
      return { text, use: (code = text) => site.post('/email-code/verify', { email, code }) };
    },
  },
  {
    name: 'the code of a magic link',
    ttlMs: 10 * minute,
    guesses: 5,
    async make(site) {
      const email = site.uniqueEmail();
      await site.post('/magic-link/send', { email });
      const text = site.mail.lastCode(email)!;
      return { text, use: (code = text) => site.post('/magic-link/verify-code', { email, code }) };
    },
  },
  {
    name: 'a text message code',
    ttlMs: 5 * minute,
    guesses: 5,
    async make(site) {
      const phone = uniquePhone();
      await site.post('/phone/send', { phone });
      const text = site.sms.lastCode(phone)!;
      return { text, use: (code = text) => site.post('/phone/verify', { phone, code }) };
    },
  },
  {
    name: 'a guest upgrade code',
    ttlMs: 10 * minute,
    guesses: 5,
    async make(site) {
      const cookie = (await site.post('/guest')).cookie();
      const email = site.uniqueEmail();
      await site.post('/guest/upgrade/send', { email }, { cookie });
      const text = site.mail.lastCode(email)!;
      return { text, use: (code = text) => site.post('/guest/upgrade', { email, code }, { cookie }) };
    },
  },
  ...(['new', 'old'] as const).map((whose): SecretKind => ({
    name: whose === 'new' ? 'an email change code' : 'the email change code of the old address',
    ttlMs: 10 * minute,
    guesses: 5,
    async make(site) {
      const { email: old, cookie } = await site.signInByCode();
      const email = site.uniqueEmail();
      await site.post('/account/email', { email }, { cookie });
      const right = { code: site.mail.lastCode(email)!, currentCode: site.mail.lastCode(old)! };
      const shown = whose === 'new' ? 'code' : 'currentCode';
      const use = (text = right[shown]) =>
        site.post('/account/email/confirm', { email, ...right, [shown]: text }, { cookie });
      return { text: right[shown], use };
    },
  })),
  {
    name: 'a magic link',
    ttlMs: 15 * minute,
    async make(site) {
      const email = site.uniqueEmail();
      await site.post('/magic-link/send', { email });
      const text = site.mailedToken(email);
      return { text, use: (token = text) => site.get(`/magic-link/verify?token=${token}`) };
    },
  },
  {
    name: 'a reset token',
    ttlMs: 30 * minute,
    async make(site) {
      const { email } = await site.signUp();
      const text = await requestResetToken(site, email);
      const use = (token = text) => site.post('/password/reset', { token, newPassword: validPassword });
      return { text, use };
    },
  },
  {
    name: 'an invite',
    ttlMs: 7 * day,
    async make(site) {
      const owner = await site.signInByCode();
      const { org } = (await site.post('/orgs', { name: 'Acme' }, { cookie: owner.cookie })).json;
      const { email } = await site.signInByCode();
      await site.post(`/orgs/${org.id}/invites`, { email }, { cookie: owner.cookie });
      const text = site.mailedToken(email);
      let later: Promise<{ cookie: string }> | undefined;
      return {
        text,
        async use(token = text) {
          // The session would end before the invite does.
          const { cookie } = await (later ??= site.signInByCode(email));
          return site.post('/orgs/invites/accept', { token }, { cookie });
        },
      };
    },
  },
  {
    name: 'a pending sign-in',
    ttlMs: 5 * minute,
    async make(site) {
      const { app, waiting } = await startMfaSignIn(site);
      // Uses another recovery code each time, so that only the sign-in itself can be used up.
      const use = (text = valueOf(waiting)) =>
        site.post('/mfa/verify', { recoveryCode: app.recoveryCodes.pop() }, { cookie: `svc_mfa=${text}` });
      return { text: valueOf(waiting), use };
    },
  },
  {
    name: 'an authenticator code',
    guesses: 5,
    async make(site) {
      const { app, verify } = await startSeveralMfaSignIns(site);
      const text = app.code();
      return { text, use: (code = text) => verify({ code }) };
    },
  },
  {
    name: 'a recovery code',
    async make(site) {
      const { app, verify } = await startSeveralMfaSignIns(site);
      const text = app.recoveryCodes[0]!;
      return { text, use: (recoveryCode = text) => verify({ recoveryCode }) };
    },
  },
  ...(['google', 'acme'] as const).map((name): SecretKind => {
    const path = name === 'google' ? '/google' : '/oauth/acme';
    return {
      name: `the OAuth transaction of ${name}`,
      ttlMs: 10 * minute,
      async make(site) {
        site[name].accounts.set('once', { email: site.uniqueEmail(), email_verified: true });
        const started = await site.get(`${path}/start`);
        const { search } = await site[name].signIn(started.location!, 'once');
        site[name].accounts.delete('once');
        const text = valueOf(started.cookie('svc_oauth'));
        const use = (value = text) => site.get(`${path}/callback${search}`, { cookie: `svc_oauth=${value}` });
        return { text, use };
      },
    };
  }),
  {
    name: 'a passkey challenge',
    ttlMs: 5 * minute,
    async make(site) {
      const { cookie } = await site.signInByCode();
      const authenticator = await addPasskey(site, cookie, softwareAuthenticator({ counter: 0 }));
      const start = await site.post('/passkeys/authenticate/start');
      const response = authenticator.get(start.json.options);
      const text = valueOf(start.cookie('svc_webauthn'));
      const use = (value = text) =>
        site.post('/passkeys/authenticate/finish', { response }, { cookie: `svc_webauthn=${value}` });
      return { text, use };
    },
  },
];
