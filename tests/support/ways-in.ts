/** Every way to a session. */
import { softwareAuthenticator } from 'svc-auth/testing';
import type { Answer } from './http-client.js';
import { goodPassword } from './http-site.js';
import { minute } from './make-pro-service.js';
import { addPasskey, enrolTotp, isIn, newNumber, signInByPasskey } from './people.js';
import type { Product } from './whole-product.js';

/** Gets somebody in, and in again: the last answer of that, to a browser with these cookies. */
type Enter = (cookies?: string) => Promise<Answer>;
/** For somebody new. Where a way needs no account from before, it makes one the first time. */
type WayIn = (site: Product) => Enter | Promise<Enter>;

// Over all sites of a database: subjects that nobody used before.
let strangers = 0;

const byEmailCode: WayIn = (site) => {
  const email = site.address();
  return async (cookie) => {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }, { cookie });
  };
};

const byProvider =
  (path: string, name: 'google' | 'acme'): WayIn =>
  (site) => {
    const subject = `stranger-${(strangers += 1)}`;
    site[name].accounts.set(subject, { email: site.address(), email_verified: true });
    return async (cookies = 'theme=dark') => {
      const started = await site.get(`${path}/start`);
      const { search } = await site[name].signIn(started.location!, subject);
      return site.get(`${path}/callback${search}`, { cookie: `${cookies}; ${started.cookie('svc_oauth')}` });
    };
  };

const byPasskey =
  (authenticator: () => ReturnType<typeof softwareAuthenticator> | undefined): WayIn =>
  async (site) => {
    const passkey = await addPasskey(site, (await site.signInByCode()).cookie, authenticator());
    return (cookies) => signInByPasskey(site, passkey, cookies);
  };

/** The ways that show one factor. */
export const oneFactor: Record<string, WayIn> = {
  'a code by email': byEmailCode,
  'a magic link': (site) => {
    const email = site.address();
    return async (cookie) => {
      await site.post('/magic-link/send', { email });
      return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie });
    };
  },
  'a password': async (site) => {
    const { email, password } = await site.signUp();
    return (cookie) => site.post('/password/login', { email, password }, { cookie });
  },
  google: byProvider('/google', 'google'),
  'the identity provider': byProvider('/idp', 'google'),
  'an OAuth provider': byProvider('/oauth/acme', 'acme'),
  'a code by text message': (site) => {
    const phone = newNumber();
    return async (cookie) => {
      await site.post('/phone/send', { phone });
      return site.post('/phone/verify', { phone, code: site.texts.lastCode(phone) }, { cookie });
    };
  },
  // It does not ask who touches it.
  'a touched passkey': byPasskey(() => softwareAuthenticator({ flags: { userVerified: false } })),
};

/** Every way that takes no session. */
export const waysIn: Record<string, WayIn> = {
  ...oneFactor,
  'a passkey': byPasskey(() => undefined),
  'a signup': (site) => (cookie) =>
    site.post('/password/signup', { email: site.address(), password: goodPassword }, { cookie }),
  async 'a second factor'(site) {
    const enter = await byEmailCode(site);
    const { code } = await enrolTotp(site, (await enter()).cookie());
    return async (cookie = 'theme=dark') => {
      site.clock.advance(minute);
      const waiting = await enter(cookie);
      // One factor ends nothing yet, and begins nothing.
      expect([waiting.status, await isIn(site, cookie)]).toEqual([403, cookie.startsWith('svc_session=')]);
      return site.post(
        '/mfa/verify',
        { code: code() },
        { cookie: `${cookie}; ${waiting.cookie('svc_mfa')}` },
      );
    };
  },
};
