// Mail scanners open a link before its owner does. They get no session, and the owner gets in.
import express from 'express';
import { describeAdapters } from '../../support/describe-adapters.js';
import type { HttpResponse } from '../../support/http-client.js';
import { openSite, type Site } from '../../support/http-site.js';
import { askForLink, both, openAndPress, type MailedLink } from '../../support/link-pages.js';
import { replay } from './replay.js';
import { traces } from './traces.js';

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
