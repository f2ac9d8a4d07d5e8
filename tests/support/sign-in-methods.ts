/** Every sign-in method. */
import { softwareAuthenticator } from 'svc-auth/testing';
import type { HttpResponse } from './http-client.js';
import { validPassword } from './http-site.js';
import { minute } from './make-pro-service.js';
import { addPasskey, enrollTotp, isSignedIn, uniquePhone, signInByPasskey } from './site-actions.js';
import type { SiteWithProviders } from './full-site.js';

/** Signs the user in, on every call, from a browser with these cookies. Returns the last response. */
type SignIn = (cookies?: string) => Promise<HttpResponse>;
/** Prepares a new user. A method that needs no existing account creates one on the first sign-in. */
type SignInMethod = (site: SiteWithProviders) => SignIn | Promise<SignIn>;

// Counts subjects across all sites of a database, so that each is unused.
let subjects = 0;

const byEmailCode: SignInMethod = (site) => {
  const email = site.uniqueEmail();
  return async (cookie) => {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }, { cookie });
  };
};

const byProvider =
  (path: string, name: 'google' | 'acme'): SignInMethod =>
  (site) => {
    const subject = `stranger-${(subjects += 1)}`;
    site[name].accounts.set(subject, { email: site.uniqueEmail(), email_verified: true });
    return async (cookies = 'theme=dark') => {
      const started = await site.get(`${path}/start`);
      const { search } = await site[name].signIn(started.location!, subject);
      return site.get(`${path}/callback${search}`, { cookie: `${cookies}; ${started.cookie('svc_oauth')}` });
    };
  };

const byPasskey =
  (authenticator: () => ReturnType<typeof softwareAuthenticator> | undefined): SignInMethod =>
  async (site) => {
    const passkey = await addPasskey(site, (await site.signInByCode()).cookie, authenticator());
    return (cookies) => signInByPasskey(site, passkey, cookies);
  };

/** Methods that prove one factor. */
export const singleFactorMethods: Record<string, SignInMethod> = {
  'a code by email': byEmailCode,
  'a magic link': (site) => {
    const email = site.uniqueEmail();
    return async (cookie) => {
      await site.post('/magic-link/send', { email });
      return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie });
    };
  },
  'the code of a magic link': (site) => {
    const email = site.uniqueEmail();
    return async (cookie) => {
      await site.post('/magic-link/send', { email });
      return site.post('/magic-link/verify-code', { email, code: site.mail.lastCode(email) }, { cookie });
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
    const phone = uniquePhone();
    return async (cookie) => {
      await site.post('/phone/send', { phone });
      return site.post('/phone/verify', { phone, code: site.sms.lastCode(phone) }, { cookie });
    };
  },
  // The authenticator does not verify the user.
  'a touched passkey': byPasskey(() => softwareAuthenticator({ flags: { userVerified: false } })),
};

/** Every method that does not require a session. */
export const signInMethods: Record<string, SignInMethod> = {
  ...singleFactorMethods,
  'a passkey': byPasskey(() => undefined),
  'a signup': (site) => (cookie) =>
    site.post('/password/signup', { email: site.uniqueEmail(), password: validPassword }, { cookie }),
  async 'a second factor'(site) {
    const signIn = await byEmailCode(site);
    const { code } = await enrollTotp(site, (await signIn()).cookie());
    return async (cookie = 'theme=dark') => {
      site.clock.advance(minute);
      const pending = await signIn(cookie);
      // One factor neither ends the current session nor starts a new one.
      expect([pending.status, await isSignedIn(site, cookie)]).toEqual([
        403,
        cookie.startsWith('svc_session='),
      ]);
      return site.post(
        '/mfa/verify',
        { code: code() },
        { cookie: `${cookie}; ${pending.cookie('svc_mfa')}` },
      );
    };
  },
};
