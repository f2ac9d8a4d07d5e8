/** Every method that creates an account, and the policies that refuse one. */
import type { ServiceConfig } from 'svc-auth';
import type { HttpResponse } from './http-client.js';
import { validPassword } from './http-site.js';
import { differentCode, uniquePhone } from './site-actions.js';
import type { SiteWithProviders } from './full-site.js';

type Allow = NonNullable<NonNullable<ServiceConfig['signUp']>['allow']>;

/** What a refused sign-up returns, without the values of this user. */
export interface Attempt {
  /** The last response. */
  response: HttpResponse;
  /** The address to which a mail was sent, if any. */
  mailedTo?: string;
  /** The id of the user, if one was created. */
  userId?: string;
}

/** Prepares while accounts may be created, and returns a function that tries to create one on a site. */
type SignUpMethod = (
  site: SiteWithProviders,
) => Promise<(site: SiteWithProviders) => Promise<Attempt>> | ((site: SiteWithProviders) => Promise<Attempt>);

// Counts subjects across all sites of a database, so that each is unused.
let subjects = 0;

const created = async (site: SiteWithProviders, response: HttpResponse): Promise<Attempt> => {
  const isSignedIn = response.cookies.some(({ name, value }) => name === 'svc_session' && value !== '');
  if (!isSignedIn) return { response };
  const { json } = await site.get('/session', { cookie: response.cookie() });
  return { response, userId: json.user.id as string };
};

const byProvider =
  (path: string, name: 'google' | 'acme', isVerified = true): SignUpMethod =>
  () =>
  async (site) => {
    const subject = `newcomer-${(subjects += 1)}`;
    const claims = { email: site.uniqueEmail(), email_verified: isVerified };
    site[name].accounts.set(subject, {
      ...claims,
      name: 'Ada',
      given_name: 'A',
      picture: 'https://p.test/a',
    });
    const started = await site.get(`${path}/start`);
    const { search } = await site[name].signIn(started.location!, subject);
    const cookie = started.cookie('svc_oauth');
    return created(site, await site.get(`${path}/callback${search}`, { cookie }));
  };

/** By the `method` that `allow` receives. Two methods of a guest have the same. */
export const signUpMethods: Record<string, SignUpMethod> = {
  email_code: () => async (site) => {
    const email = site.uniqueEmail();
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email) ?? '000000';
    const attempt = await created(site, await site.post('/email-code/verify', { email, code }));
    return { ...attempt, mailedTo: email };
  },
  magic_link: () => async (site) => {
    const email = site.uniqueEmail();
    const response = await site.post('/magic-link/send', { email });
    const mailedTo = email;
    if (site.mail.lastLink(email) === undefined) return { response, mailedTo };
    const opened = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
    return { ...(await created(site, opened)), mailedTo };
  },
  'magic_link (code)': () => async (site) => {
    const email = site.uniqueEmail();
    await site.post('/magic-link/send', { email });
    const code = site.mail.lastCode(email) ?? '000000';
    const attempt = await created(site, await site.post('/magic-link/verify-code', { email, code }));
    return { ...attempt, mailedTo: email };
  },
  password_signup: () => async (site) => {
    const body = { email: site.uniqueEmail(), password: validPassword };
    return created(site, await site.post('/password/signup', body));
  },
  google: byProvider('/google', 'google'),
  'google (unverified)': byProvider('/idp', 'google', false),
  acme: byProvider('/oauth/acme', 'acme'),
  phone_code: () => async (site) => {
    const phone = uniquePhone();
    await site.post('/phone/send', { phone });
    return created(site, await site.post('/phone/verify', { phone, code: site.sms.lastCode(phone) }));
  },
  guest: () => async (site) => created(site, await site.post('/guest')),
  'guest_upgrade (code)': async (site) => {
    const cookie = (await site.post('/guest')).cookie();
    return async (later) => {
      const email = later.uniqueEmail();
      const sent = await later.post('/guest/upgrade/send', { email }, { cookie });
      if (sent.status !== 200) return { response: sent };
      const code = later.mail.lastCode(email) ?? '000000';
      const response = await later.post('/guest/upgrade', { email, code }, { cookie });
      return { ...(await created(later, response)), mailedTo: email };
    };
  },
  'guest_upgrade (password)': async (site) => {
    const cookie = (await site.post('/guest')).cookie();
    return async (later) => {
      const body = { email: later.uniqueEmail(), password: validPassword };
      return created(later, await later.post('/guest/upgrade', body, { cookie }));
    };
  },
};

/** Policies that refuse every account. */
export const refusals: Record<string, NonNullable<ServiceConfig['signUp']>> = {
  'enabled: false': { enabled: false },
  'allow that returns false': { allow: () => false },
  'allow that resolves false': { allow: async () => false },
  'allow that throws': {
    allow: () => {
      throw new Error('the directory of employees is down');
    },
  },
  'allow that rejects': { allow: () => Promise.reject(new Error('the directory of employees is down')) },
  ...Object.fromEntries(
    [
      undefined,
      null,
      'yes',
      1,
      [],
      {},
      { allowed: true },
      { roles: 'admin' },
      { roles: ['No Role'] },
      { metadata: 'none' },
      { metadata: { plan: 'pro' }, admin: true },
      { metadata: { text: 'x'.repeat(9_000) } },
    ].map((answer) => {
      const name = `allow that returns ${JSON.stringify(answer)?.slice(0, 40)}`;
      return [name, { allow: (() => answer) as unknown as Allow }];
    }),
  ),
};

export const wrongCode = (site: SiteWithProviders, email: string) =>
  differentCode(site.mail.lastCode(email) ?? '000000');
