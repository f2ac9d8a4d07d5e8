/**
 * What the suites on OAuth providers start with: a provider, a site that accepts it, and sign-ins
 * and links in a browser.
 */
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import type { Account, RequestOptions, Site, SiteOptions } from '../../support/http-site.js';
import { basePath } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { OpenSite } from '../matrix.js';

export const redirectUri = `https://app.test${basePath}/oauth/acme/callback`;

// Shared by all sites of a database.
let accountCount = 0;

export function oauthScenes(open: OpenSite) {
  let idp: MockIdentityProvider;

  const openWithOAuth = ({ service = {}, ...options }: SiteOptions = {}) => {
    const acme = { issuer: idp.issuer, ...idp.client };
    const other = { ...acme, redirectUri: redirectUri.replace('acme', 'other') };
    const sessions = { canImpersonate: () => true };
    const providers = { ...proProviders, sessions, oauth: { acme, other }, ...service.providers };
    return open({ pro: true, ...options, service: { ...service, providers } });
  };

  /** Creates an account at the provider. */
  function person(site: Site, account: { email?: string; email_verified?: boolean } = {}) {
    const subject = `oauth-subject-${(accountCount += 1)}`;
    const { email = site.uniqueEmail() } = account;
    idp.accounts.set(subject, { email, email_verified: true, ...account });
    return { subject, email };
  }

  const start = (site: Site, query = '') => site.get(`/oauth/acme/start${query}`);
  const callback = (site: Site, search: string, cookie?: string) =>
    site.get(`/oauth/acme/callback${search}`, { cookie });
  const link = (site: Site, cookie: string, body: object = {}, options: RequestOptions = {}) =>
    site.post('/oauth/acme/link', body, { cookie, ...options });
  const identitiesOf = async (site: Site, { cookie }: Account) =>
    (await site.get('/identities', { cookie })).json.identities;
  const unlink = (site: Site, cookie: string, id: string) =>
    site.send('DELETE', `/identities/${id}`, undefined, { cookie });

  async function signIn(site: Site, subject: string, cookie = 'theme=dark'): Promise<HttpResponse> {
    const started = await start(site);
    const { search } = await idp.signIn(started.location!, subject);
    return callback(site, search, `${cookie}; ${started.cookie('svc_oauth')}`);
  }

  /** Runs a link from the start to the callback, with the cookie `by`. */
  async function linkAs(
    site: Site,
    { cookie }: Account,
    subject: string,
    by = cookie,
  ): Promise<HttpResponse> {
    const started = await link(site, cookie);
    const { search } = await idp.signIn(started.json.url, subject);
    return callback(site, search, `${by}; ${started.cookie('svc_oauth')}`);
  }

  /** Starts a provider before the tests of a `describe`, and stops it after them. */
  function useProvider(): void {
    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri });
    });

    afterAll(() => idp.close());
  }

  return {
    useProvider,
    provider: () => idp,
    openWithOAuth,
    person,
    start,
    callback,
    link,
    identitiesOf,
    unlink,
    signIn,
    linkAs,
  };
}
