/** The identity providers of a file’s tests, open while it runs, and the ways through them over the routes of both kinds. */
import type { MockAccount } from 'svc-auth/testing';
import type { Answer } from '../../support/http-client.js';
import type { Site } from '../../support/http-site.js';
import { providersOnLoopback } from '../../support/whole-product.js';

/** The failure target of an answer that is not accepted. */
export const refused = expect.stringMatching(
  /^\/\?error=oauth_error&reason=(?:expired|provider_error)$/,
) as string;
export const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
export const onLoopback = providersOnLoopback('google', 'acme', 'other');
export const idps = onLoopback();
let people = 0;

afterEach(() => Object.values(idps).forEach((idp) => idp.lie({})));

/** The routes of each provider: the built-in one answers at two places. */
export const providers = [
  ['/google', 'google'],
  ['/idp', 'google'],
  ['/oauth/acme', 'acme'],
] as const;
export const kinds = [providers[0], providers[2]] as const;
/** It does not speak OpenID: all of its word is a userinfo answer. */
export const plain = ['/oauth/other', 'other'] as const;

export function personAt(
  name: keyof typeof idps,
  account: MockAccount = {},
  subject = `person-${(people += 1)}-at-provider`,
) {
  idps[name].accounts.set(subject, { email: `${subject}@example.com`, email_verified: true, ...account });
  return subject;
}

/** Up to the answer of the provider, which is at the callback next. */
export async function started(site: Site, at: string, name: keyof typeof idps, subject: string, query = '') {
  const start = await site.get(`${at}/start${query}`);
  const url = new URL(start.location!);
  const { searchParams } = await idps[name].signIn(url, subject);
  return { url, answer: searchParams, cookie: start.cookie('svc_oauth') };
}

export const callback = (site: Site, at: string, answer: URLSearchParams, cookie?: string) =>
  site.get(`${at}/callback?${answer.toString()}`, { cookie });

export async function signIn(
  site: Site,
  at: string,
  name: keyof typeof idps,
  subject: string,
): Promise<Answer> {
  const { answer, cookie } = await started(site, at, name, subject);
  return callback(site, at, answer, cookie);
}

/** How often a code was sent to any provider. */
export const tokenRequests = () =>
  Object.values(idps).flatMap((idp) => idp.requests.filter(({ path }) => path === '/token')).length;

export function expectRefused(answer: Answer, about: unknown): void {
  const given = answer.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
  expect([about, answer.status, answer.location, given]).toEqual([about, 302, refused, []]);
}
