/** Replays what a scanner does with a mailed link. */
import type { HttpResponse } from '../../support/http-client.js';
import { basePath, type Site } from '../../support/http-site.js';
import type { Trace, Visit } from './traces.js';

/** Replays the visits with one cookie jar. Returns the names of the cookies of sessions and pending sign-ins that the scanner got. */
export async function replay(site: Site, link: string, { visits }: Trace): Promise<string[]> {
  const jar = new Map<string, string>();
  let shown: HttpResponse | undefined;
  for (const visit of visits) {
    site.clock.advance(visit.waitMs ?? 0);
    const response = await visitLink(site, link, visit, jar, shown);
    for (const { name, value } of response.cookies) if (value !== '') jar.set(name, value);
    if (response.headers['content-type']?.startsWith('text/html')) shown = response;
  }
  return [...jar.keys()].filter((name) => /^svc_(session|mfa)$/.test(name));
}

function visitLink(
  site: Site,
  link: string,
  { method, headers, rewrite = (query) => query }: Visit,
  jar: ReadonlyMap<string, string>,
  shown: HttpResponse | undefined,
): Promise<HttpResponse> {
  const [path, query = ''] = link.split('?');
  const target = `${path}${rewrite(`?${query}`)}`;
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const options = { headers: { ...headers }, ...(cookie !== '' && { cookie }) };
  if (method !== 'script')
    return site.send(method, method === 'OPTIONS' ? basePath + target : target, undefined, options);
  // A script reads the form of the page and submits it as it is.
  const [, proof = ''] = /name="proof" value="([^"]*)"/.exec(shown?.text ?? '') ?? [];
  const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' };
  return site.send('POST', target, `proof=${proof}`, { ...options, headers: form });
}
