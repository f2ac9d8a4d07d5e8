// Mail scanners open a link before its owner does. They get no session, and the owner gets in.
import express from 'express';
import { describeAdapters } from '../../support/describe-adapters.js';
import type { HttpResponse } from '../../support/http-client.js';
import { basePath, openSite, type Site } from '../../support/http-site.js';
import { askForLink, both, openAndPress, type MailedLink } from '../../support/link-pages.js';
import { traces, type Trace, type Visit } from './traces.js';

const minute = 60_000;

/** Each way in which the owner signs in afterwards, and how the response shows it. */
const ways: Record<string, (site: Site, mail: MailedLink) => Promise<HttpResponse>> = {
  'the link in the browser that asked': (site, { link, browser }) => site.get(link, { cookie: browser }),
  'the link in another browser, and its button': (site, { link }) => openAndPress(site, link),
  'the code': (site, { email, code }) => site.post('/magic-link/verify-code', { email, code }),
};

describeAdapters('A mail scanner', ({ adapter }) => {
  const sites: Site[] = [];
  const open = async (magicLink: object): Promise<Site> => {
    const site = await openSite(express, adapter(), {
      service: { providers: { magicLink } },
    });
    sites.push(site);
    return site;
  };
  afterEach(() => Promise.all(sites.splice(0).map((site) => site.close())));

  describe.each(traces)('$scanner', (trace) => {
    it.each(Object.keys(ways))('gets no session, and its owner signs in with %s', async (way) => {
      const site = await open(both);
      const mail = await askForLink(site);
      expect(await replay(site, mail.link, trace)).toEqual([]);
      expect(await site.service.users.find({ email: mail.email })).toBeNull();
      const response = await ways[way]!(site, mail);
      expect(response.cookie()).toMatch(/^svc_session=/);
    });

    it('gets no session with a second look before the link expires, and after it was used', async () => {
      const site = await open(both);
      const mail = await askForLink(site);
      site.clock.advance(15 * minute - 1);
      const now = { ...trace, visits: trace.visits.map((visit) => ({ ...visit, waitMs: 0 })) };
      expect(await replay(site, mail.link, now)).toEqual([]);
      const owner = await openAndPress(site, mail.link);
      for (const waitMs of [0, 60 * minute]) {
        site.clock.advance(waitMs);
        expect(await replay(site, mail.link, now)).toEqual([]);
      }
      expect((await site.get('/session', { cookie: owner.cookie() })).status).toBe(200);
    });

    it('gets a session without confirmElsewhere, so the replay is real', async () => {
      const site = await open({});
      const { link } = await askForLink(site);
      const cookies = await replay(site, link, trace);
      expect(cookies).toContain('svc_session');
    });
  });
});

/** Replays the visits with one cookie jar. Returns the names of the cookies of sessions and pending sign-ins that the scanner got. */
async function replay(site: Site, link: string, { visits }: Trace): Promise<string[]> {
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
