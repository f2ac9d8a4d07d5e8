/**
 * The whole product on one site, for attacks: every provider configured, both routers, every way in, and every route that sets a
 * password. On each storage, as `describeAdapters` has it; a site closes itself after its test.
 */
import express from 'express';
import {
  mockIdentityProvider,
  outbox,
  smsOutbox,
  softwareAuthenticator,
  type MockIdentityProvider,
  type SmsOutbox,
} from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters, type OnAdapter } from '../support/describe-adapters.js';
import type { Answer } from '../support/http-client.js';
import { base, goodPassword, openSite, type Site, type SiteOptions } from '../support/http-site.js';
import { proProviders } from '../support/make-pro-service.js';

export const minute = 60_000;
export const day = 24 * 60 * minute;
export const totpStep = 30_000;
export const encryptionKey = 'an encryption key of the attacks, 32 bytes or more';

export interface Product extends Site {
  texts: SmsOutbox;
  /** Behind /google and /idp, and behind /oauth/acme. */
  google: MockIdentityProvider;
  acme: MockIdentityProvider;
}

export interface Attack {
  on: OnAdapter;
  open: (options?: SiteOptions) => Promise<Product>;
}

const callbackOf = (path: string) => ({ redirectUri: `https://app.test${base}${path}/callback` });

export function describeAttacks(name: string, tests: (attack: Attack) => void): void {
  describeAdapters(name, (on) => {
    const sites: Site[] = [];
    let google: MockIdentityProvider;
    let acme: MockIdentityProvider;

    beforeAll(async () => {
      google = await mockIdentityProvider(callbackOf('/google'));
      acme = await mockIdentityProvider(callbackOf('/oauth/acme'));
    });

    afterAll(async () => {
      await Promise.all([google.close(), acme.close()]);
    });

    // All of them, also when one fails: what reached a logger is searched for secrets then.
    afterEach(async () => {
      const closed = await Promise.allSettled(sites.splice(0).map((site) => site.close()));
      for (const each of closed) if (each.status === 'rejected') throw each.reason;
    });

    tests({
      on,
      async open({ service = {}, ...options } = {}) {
        const [texts, mail] = [smsOutbox(), service.mail ?? outbox()];
        const site = await openSite(express, on.adapter(), {
          pro: true,
          ...options,
          service: {
            encryptionKey,
            ...service,
            mail,
            providers: {
              ...proProviders,
              account: { sender: mail },
              orgs: { sender: mail, inviteUrl: 'https://app.test/invite' },
              phoneOtp: { sender: texts },
              totp: true,
              webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
              google: { issuer: google.issuer, ...google.client },
              oauth: { acme: { issuer: acme.issuer, ...acme.client } },
              ...service.providers,
            },
          },
        });
        sites.push(site);
        return { ...site, texts, google, acme };
      },
    });
  });
}

/** Somebody who is in, and how they get in again: the last answer of that, for a browser with these cookies. */
export interface Insider {
  name: string;
  /** Of a full session. */
  cookie: string;
  userId: string;
  again: (cookies?: string) => Promise<Answer>;
}

type WayIn = (site: Product) => Promise<Omit<Insider, 'name'>>;

// Over all sites: subjects and numbers that nobody used before.
let strangers = 0;
export const newNumber = () => `+4915198${String((strangers += 1)).padStart(6, '0')}`;

const insiderBy = async (again: Insider['again'], site: Product): Promise<Omit<Insider, 'name'>> => {
  const cookie = (await again()).cookie();
  return { cookie, userId: (await site.get('/session', { cookie })).json.user.id, again };
};

const byEmailCode: WayIn = (site) => {
  const email = site.address();
  return insiderBy(async (cookie) => {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }, { cookie });
  }, site);
};

const byMagicLink: WayIn = (site) => {
  const email = site.address();
  return insiderBy(async (cookie) => {
    await site.post('/magic-link/send', { email });
    return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie });
  }, site);
};

const byPassword: WayIn = async (site) => {
  const { email, cookie, user } = await site.signUp();
  const body = { email, password: goodPassword };
  return {
    cookie,
    userId: user.id,
    again: (cookies) => site.post('/password/login', body, { cookie: cookies }),
  };
};

const byProvider =
  (path: string, name: 'google' | 'acme'): WayIn =>
  (site) => {
    const subject = `attacks-${(strangers += 1)}`;
    site[name].accounts.set(subject, { email: site.address(), email_verified: true });
    return insiderBy(async (cookies = 'theme=dark') => {
      const started = await site.get(`${path}/start`);
      const { search } = await site[name].signIn(started.location!, subject);
      const cookie = `${cookies}; ${started.cookie('svc_oauth')}`;
      return site.get(`${path}/callback${search}`, { cookie });
    }, site);
  };

const byText: WayIn = (site) => {
  const phone = newNumber();
  return insiderBy(async (cookie) => {
    await site.post('/phone/send', { phone });
    return site.post('/phone/verify', { phone, code: site.texts.lastCode(phone) }, { cookie });
  }, site);
};

/** A passkey that is touched, and does not ask who touches it: one factor. */
const byTouch: WayIn = async (site) => {
  const authenticator = softwareAuthenticator({ flags: { userVerified: false } });
  const { cookie, user } = await site.signInByCode();
  const begun = await site.post('/passkeys/register/start', undefined, { cookie });
  const response = authenticator.create(begun.json.options);
  const cookies = `${cookie}; ${begun.cookie('svc_webauthn')}`;
  const registered = await site.post('/passkeys/register/finish', { response }, { cookie: cookies });
  expect(registered.status).toBe(200);
  return {
    cookie,
    userId: user.id,
    async again(others = 'theme=dark') {
      const start = await site.post('/passkeys/authenticate/start');
      const answer = { response: authenticator.get(start.json.options) };
      return site.post('/passkeys/authenticate/finish', answer, {
        cookie: `${others}; ${start.cookie('svc_webauthn')}`,
      });
    },
  };
};

/** Every way in that shows one factor. */
export const waysIn: readonly [name: string, way: WayIn][] = [
  ['a code by email', byEmailCode],
  ['a magic link', byMagicLink],
  ['a password', byPassword],
  ['google', byProvider('/google', 'google')],
  ['the identity provider', byProvider('/idp', 'google')],
  ['an OAuth provider', byProvider('/oauth/acme', 'acme')],
  ['a code by text message', byText],
  ['a touched passkey', byTouch],
];

/** Enrols an authenticator app over HTTP: what it shows, the recovery codes, and the session that goes on. */
export async function enrol(site: Product, cookie: string) {
  const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
  const code = () => codeAt(secret, site.clock.now());
  const confirmed = await site.post('/totp/confirm', { code: code() }, { cookie });
  expect(confirmed.status).toBe(200);
  // A code is accepted once.
  site.clock.advance(totpStep);
  const recoveryCodes = confirmed.json.recoveryCodes as string[];
  return { secret: secret as string, code, cookie: confirmed.cookie(), recoveryCodes };
}

/** Asks for a reset, and takes the token out of the mail. */
export async function mailedReset(site: Site, email: string): Promise<string> {
  await site.post('/password/request-reset', { email });
  await site.settle();
  return site.mailedToken(email);
}

export const logIn = (site: Site, email: string, password: string) =>
  site.post('/password/login', { email, password });

/** A route that sets a password, for somebody who is there already: it may be called until it is taken. */
export interface Setter {
  email: string;
  set: (password: unknown) => Promise<Answer>;
}

type MakeSetter = (site: Product) => Promise<Setter>;

const change = (site: Product, cookie: string) => (newPassword: unknown) =>
  site.post('/account/password', { currentPassword: goodPassword, newPassword }, { cookie });

export const passwordSetters: readonly [name: string, make: MakeSetter][] = [
  [
    'a signup',
    async (site) => {
      const email = site.address();
      return { email, set: (password) => site.post('/password/signup', { email, password }) };
    },
  ],
  [
    'a first password by signup in one’s own session',
    async (site) => {
      const { email, cookie } = await site.signInByCode();
      return { email, set: (password) => site.post('/password/signup', { email, password }, { cookie }) };
    },
  ],
  [
    'a reset',
    async (site) => {
      const { email } = await site.signUp();
      const token = await mailedReset(site, email);
      return { email, set: (newPassword) => site.post('/password/reset', { token, newPassword }) };
    },
  ],
  [
    'a change',
    async (site) => {
      const { email, cookie } = await site.signUp();
      return { email, set: change(site, cookie) };
    },
  ],
  [
    'a first password from the account page',
    async (site) => {
      const { email, cookie } = await site.signInByCode();
      return { email, set: (newPassword) => site.post('/account/password', { newPassword }, { cookie }) };
    },
  ],
  [
    'a guest’s upgrade',
    async (site) => {
      const cookie = (await site.post('/guest')).cookie();
      const email = site.address();
      return { email, set: (password) => site.post('/guest/upgrade', { email, password }, { cookie }) };
    },
  ],
];

/** Status and code of an error; status alone of a success. */
export const outcome = ({ status, json, location }: Answer): string =>
  status < 300 ? String(status) : `${status} ${(json?.error as string | undefined) ?? location ?? ''}`.trim();

/** How often each outcome came. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[outcome(answer)] = (counts[outcome(answer)] ?? 0) + 1;
  return counts;
}
