/** Every way to a session: what the browser is answered, whatever it held before. */
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import type { Answer } from '../../support/http-client.js';
import { goodPassword, type Site } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import {
  addPasskey,
  callbackOf,
  enrolTotp,
  isIn,
  signInByPasskey,
  type WholeSite,
} from '../../support/whole-product.js';

// Over all sites of a database.
let people = 0;
let google: MockIdentityProvider;
let acme: MockIdentityProvider;

/** The identity providers that some ways lead to: open during the tests of the file that asks for them. */
export function providersOnLoopback() {
  beforeAll(async () => {
    google = await mockIdentityProvider({ redirectUri: callbackOf('/google') });
    acme = await mockIdentityProvider({ redirectUri: callbackOf('/oauth/acme') });
  });

  afterAll(() => Promise.all([google.close(), acme.close()]));

  return () => ({ google, acme });
}

const nextPhone = () => `+49151${String(10_000_000 + (people += 1))}`;

async function byProvider(site: Site, at: string, idp: MockIdentityProvider, cookie: string) {
  const subject = `session-person-${(people += 1)}`;
  idp.accounts.set(subject, { email: `${subject}@example.com`, email_verified: true });
  const started = await site.get(`${at}/start`);
  const { search } = await idp.signIn(started.location!, subject);
  return site.get(`${at}/callback${search}`, { cookie: `${cookie}; ${started.cookie('svc_oauth')}` });
}

/** Every way to a session that takes no session, with the cookie that the browser holds already. */
export const waysIn: Record<string, (site: WholeSite, cookie: string) => Promise<Answer>> = {
  async 'an email code'(site, cookie) {
    return (await site.signInByCode(undefined, { cookie })).answer;
  },
  async 'a magic link'(site, cookie) {
    const email = site.address();
    await site.post('/magic-link/send', { email });
    return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie });
  },
  'a signup': (site, cookie) =>
    site.post('/password/signup', { email: site.address(), password: goodPassword }, { cookie }),
  async 'a password'(site, cookie) {
    const { email, password } = await site.signUp();
    return site.post('/password/login', { email, password }, { cookie });
  },
  async 'a text message'(site, cookie) {
    const phone = nextPhone();
    await site.post('/phone/send', { phone });
    return site.post('/phone/verify', { phone, code: site.texts.lastCode(phone) }, { cookie });
  },
  async 'a passkey'(site, cookie) {
    const authenticator = await addPasskey(site, (await site.signInByCode()).cookie);
    return signInByPasskey(site, authenticator, cookie);
  },
  async 'a second factor'(site, cookie) {
    const me = await site.signInByCode();
    const { code } = await enrolTotp(site, me.cookie);
    site.clock.advance(minute);
    await site.post('/email-code/send', { email: me.email });
    const first = { email: me.email, code: site.mail.lastCode(me.email) };
    const waiting = await site.post('/email-code/verify', first, { cookie });
    // One factor ends nothing yet, and begins nothing.
    expect([waiting.status, await isIn(site, cookie)]).toEqual([403, cookie.startsWith('svc_session=')]);
    const both = `${cookie}; ${waiting.cookie('svc_mfa')}`;
    return site.post('/mfa/verify', { code: code() }, { cookie: both });
  },
  'the built-in identity provider': (site, cookie) => byProvider(site, '/google', google, cookie),
  'its other address': (site, cookie) => byProvider(site, '/idp', google, cookie),
  'an OAuth provider': (site, cookie) => byProvider(site, '/oauth/acme', acme, cookie),
};
