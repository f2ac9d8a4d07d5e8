/** The mock identity providers of a test file, started and stopped with it, and sign-ins over the routes of both kinds. */
import type { MockAccount, MockIdentityProvider } from 'svc-auth/testing';
import type { HttpResponse } from '../../support/http-client.js';
import type { Site } from '../../support/http-site.js';
import { loopbackProviders } from '../../support/full-site.js';

/** Matches the redirect target of a rejected provider response. */
export const refused = expect.stringMatching(
  /^\/\?error=oauth_error&reason=(?:expired|provider_error)$/,
) as string;
export const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
export const idps = {} as Record<'google' | 'acme' | 'other', MockIdentityProvider>;
let people = 0;

/** Starts `idps` before the tests of the file that calls this, and stops them afterwards. */
export function providersOfFile() {
  const open = loopbackProviders('google', 'acme', 'other');
  beforeAll(() => void Object.assign(idps, open()));
  afterEach(() => Object.values(idps).forEach((idp) => idp.override({})));
  return open;
}

/** The routes of each provider; the built-in one has two sets of routes. */
export const providers = [
  ['/google', 'google'],
  ['/idp', 'google'],
  ['/oauth/acme', 'acme'],
] as const;
export const kinds = [providers[0], providers[2]] as const;
/** A plain OAuth provider without OpenID Connect: all it returns about the user is the userinfo response. */
export const plain = ['/oauth/other', 'other'] as const;

export function personAt(
  name: keyof typeof idps,
  account: MockAccount = {},
  subject = `person-${(people += 1)}-at-provider`,
) {
  idps[name].accounts.set(subject, { email: `${subject}@example.com`, email_verified: true, ...account });
  return subject;
}

/** Starts a sign-in and returns the provider's response, ready to be sent to the callback. */
export async function started(site: Site, at: string, name: keyof typeof idps, subject: string, query = '') {
  const start = await site.get(`${at}/start${query}`);
  const url = new URL(start.location!);
  const { searchParams } = await idps[name].signIn(url, subject);
  return { url, answer: searchParams, cookie: start.cookie('svc_oauth') };
}

export const callback = (site: Site, at: string, response: URLSearchParams, cookie?: string) =>
  site.get(`${at}/callback?${response.toString()}`, { cookie });

export async function signIn(
  site: Site,
  at: string,
  name: keyof typeof idps,
  subject: string,
): Promise<HttpResponse> {
  const { answer, cookie } = await started(site, at, name, subject);
  return callback(site, at, answer, cookie);
}

/** Returns how many token requests all providers have received. */
export const tokenRequests = () =>
  Object.values(idps).flatMap((idp) => idp.requests.filter(({ path }) => path === '/token')).length;

export function expectRefused(response: HttpResponse, about: unknown): void {
  const cookieNames = response.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
  expect([about, response.status, response.location, cookieNames]).toEqual([about, 302, refused, []]);
}
