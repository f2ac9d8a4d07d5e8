/** Every secret that works once, as an attacker meets it: who holds it, the door it opens, and for how long. */
import { softwareAuthenticator } from 'svc-auth/testing';
import type { Answer } from '../support/http-client.js';
import { goodPassword } from '../support/http-site.js';
import { day, minute } from '../support/make-pro-service.js';
import { addPasskey, enrolTotp, mailedReset, newNumber } from '../support/people.js';
import type { Product } from '../support/whole-product.js';

export interface Secret {
  /** The text itself, as it was mailed, texted, shown or put into a cookie. */
  text: string;
  /** Shows it at its door; in place of it another text, where given. */
  use: (text?: string) => Promise<Answer>;
}

export interface SecretKind {
  name: string;
  /** Absent where it is as good as what it protects. */
  ttlMs?: number;
  /** A few digits that are guessed at, and how many guesses are looked at. */
  guesses?: number;
  make: (site: Product) => Promise<Secret>;
}

export const opened = ({ status, location, cookies }: Answer) =>
  status === 200 || (status === 302 && !location?.includes('error=') && cookies.length > 0);

/** A sign-in that waits for its second factor, and the app. */
export async function half(site: Product) {
  const { email, cookie } = await site.signInByCode();
  const app = await enrolTotp(site, cookie);
  const again = async () => {
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email);
    return (await site.post('/email-code/verify', { email, code })).cookie('svc_mfa');
  };
  return { app, again, waiting: await again() };
}

/** Four of them in four browsers, as many as there are codes to be mailed; each try is in the next. */
async function severalHalves(site: Product) {
  const { app, again, waiting: first } = await half(site);
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
    name: 'a code by email',
    ttlMs: 10 * minute,
    guesses: 5,
    async make(site) {
      const email = site.address();
      await site.post('/email-code/send', { email });
      const text = site.mail.lastCode(email)!;
      return { text, use: (code = text) => site.post('/email-code/verify', { email, code }) };
    },
  },
  {
    name: 'a code by text message',
    ttlMs: 5 * minute,
    guesses: 5,
    async make(site) {
      const phone = newNumber();
      await site.post('/phone/send', { phone });
      const text = site.texts.lastCode(phone)!;
      return { text, use: (code = text) => site.post('/phone/verify', { phone, code }) };
    },
  },
  {
    name: 'a code of a guest’s upgrade',
    ttlMs: 10 * minute,
    guesses: 5,
    async make(site) {
      const cookie = (await site.post('/guest')).cookie();
      const email = site.address();
      await site.post('/guest/upgrade/send', { email }, { cookie });
      const text = site.mail.lastCode(email)!;
      return { text, use: (code = text) => site.post('/guest/upgrade', { email, code }, { cookie }) };
    },
  },
  ...(['new', 'old'] as const).map((whose): SecretKind => ({
    name: whose === 'new' ? 'a code of a change of address' : 'the old address’s code of a change',
    ttlMs: 10 * minute,
    guesses: 5,
    async make(site) {
      const { email: old, cookie } = await site.signInByCode();
      const email = site.address();
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
      const email = site.address();
      await site.post('/magic-link/send', { email });
      const text = site.mailedToken(email);
      return { text, use: (token = text) => site.get(`/magic-link/verify?token=${token}`) };
    },
  },
  {
    name: 'a reset',
    ttlMs: 30 * minute,
    async make(site) {
      const { email } = await site.signUp();
      const text = await mailedReset(site, email);
      const use = (token = text) => site.post('/password/reset', { token, newPassword: goodPassword });
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
      const { app, waiting } = await half(site);
      // Each time with another recovery code: what is used up is the sign-in.
      const use = (text = valueOf(waiting)) =>
        site.post('/mfa/verify', { recoveryCode: app.recoveryCodes.pop() }, { cookie: `svc_mfa=${text}` });
      return { text: valueOf(waiting), use };
    },
  },
  {
    name: 'a code of an app',
    guesses: 5,
    async make(site) {
      const { app, verify } = await severalHalves(site);
      const text = app.code();
      return { text, use: (code = text) => verify({ code }) };
    },
  },
  {
    name: 'a recovery code',
    async make(site) {
      const { app, verify } = await severalHalves(site);
      const text = app.recoveryCodes[0]!;
      return { text, use: (recoveryCode = text) => verify({ recoveryCode }) };
    },
  },
  ...(['google', 'acme'] as const).map((name): SecretKind => {
    const path = name === 'google' ? '/google' : '/oauth/acme';
    return {
      name: `the transaction of ${name}`,
      ttlMs: 10 * minute,
      async make(site) {
        site[name].accounts.set('once', { email: site.address(), email_verified: true });
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
    name: 'the challenge of a passkey',
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
