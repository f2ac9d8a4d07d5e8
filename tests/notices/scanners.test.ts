// Mail scanners open the link of a notice before its reader does. They end nothing, and the reader's click still works.
import express from 'express';
import { outbox } from 'svc-auth/testing';
import { textOf } from '../support/account-pages.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { openSite, type Site } from '../support/http-site.js';
import { openAndPress } from '../support/link-pages.js';
import { isSignedIn } from '../support/site-actions.js';
import { replay } from '../attack/scanners/replay.js';
import { traces } from '../attack/scanners/traces.js';

const hour = 60 * 60_000;

describeAdapters('A mail scanner', ({ adapter }) => {
  const sites: Site[] = [];
  afterEach(() => Promise.all(sites.splice(0).map((site) => site.close())));

  async function noticed() {
    const notices = outbox();
    const site = await openSite(express, adapter(), {
      service: { notices: { sender: notices, baseUrl: 'https://app.test/api/auth/not-me' } },
    });
    sites.push(site);
    const { email, cookie } = await site.signInByCode();
    // From a new device.
    await site.signInByCode(email);
    await site.settle();
    return { site, cookie, link: `/not-me${new URL(notices.lastLink(email)!).search}` };
  }

  describe.each(traces)('$scanner', (trace) => {
    it('ends nothing, at once and with a later look, and the click of the reader ends everything', async () => {
      const { site, cookie, link } = await noticed();
      await replay(site, link, trace);
      site.clock.advance(hour);
      await replay(site, link, trace);
      expect(await isSignedIn(site, cookie)).toBe(true);
      expect(textOf(await openAndPress(site, link))).toContain('All devices are signed out');
      expect(await isSignedIn(site, cookie)).toBe(false);
    });
  });
});
