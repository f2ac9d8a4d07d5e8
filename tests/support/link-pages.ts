/** The page that asks for a confirmation of a link, as a browser without scripts shows and submits it. */
import type { HttpResponse } from './http-client.js';
import type { RequestOptions, Site } from './http-site.js';

export const both = { withCode: true, confirmElsewhere: true };

/** A mail with a link and, with `withCode`, a code. */
export interface MailedLink {
  email: string;
  /** Path and query. */
  link: string;
  code: string;
  /** The cookie of the browser that asked. */
  browser: string;
}

/** Asks for a link over HTTP. */
export async function askForLink(site: Site, email = site.uniqueEmail(), cookie = ''): Promise<MailedLink> {
  const response = await site.post('/magic-link/send', { email }, cookie === '' ? {} : { cookie });
  expect(response.status).toBe(200);
  const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
  const sets = response.cookies.some(({ name }) => name === 'svc_link');
  const browser = sets ? response.cookie('svc_link') : '';
  return { email, link, code: site.mail.lastCode(email) ?? '', browser };
}

/** Returns the form token of the page. Fails if the response is not the page. */
export function proofOf(response: HttpResponse): string {
  expect([response.status, response.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const [, proof] = /<input type="hidden" name="proof" value="([\w-]{43})"/.exec(response.text) ?? [];
  if (proof === undefined) throw new Error('the page has no form');
  return proof;
}

/** Expects the page, and that no one is signed in. */
export function expectPage(response: HttpResponse): void {
  proofOf(response);
  expect(response.cookies.map(({ name }) => name.replace('__Host-', ''))).toEqual(['svc_link_form']);
}

export function submit(
  site: Site,
  link: string,
  proof: string,
  { headers, ...options }: RequestOptions = {},
): Promise<HttpResponse> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return site.send('POST', link, `proof=${proof}`, { ...options, headers: { ...type, ...headers } });
}

/** Presses the button of a page that this browser shows. */
export function press(
  site: Site,
  link: string,
  shown: HttpResponse,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const name = shown.cookies.find((cookie) => cookie.name.endsWith('svc_link_form'))?.name;
  return submit(site, link, proofOf(shown), { cookie: shown.cookie(name), ...options });
}

/** Opens the link in another browser than the one that asked, and presses the button. */
export async function openAndPress(site: Site, link: string): Promise<HttpResponse> {
  return press(site, link, await site.get(link));
}
