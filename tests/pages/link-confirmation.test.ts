// The page that asks before a mailed link signs in elsewhere is one of the pages, and protects as much as the plain one.
// cspell:ignore anmelden
import express from 'express';
import { createPages, html, type PagesOptions } from 'svc-auth/pages';
import { textOf } from '../support/account-pages.js';
import type { HttpResponse } from '../support/http-client.js';
import { openSite, type Site } from '../support/http-site.js';
import { askForLink, both, expectPage, openAndPress, press, proofOf } from '../support/link-pages.js';

describe('the confirmation of a link', () => {
  const sites: Site[] = [];
  afterEach(() => Promise.all(sites.splice(0).map((site) => site.close())));

  async function open(pages: Partial<PagesOptions> = {}) {
    const site = await openSite(express, undefined, {
      service: { providers: { magicLink: both } },
      after(app, { service }) {
        app.use('/app', createPages(service, { name: 'Acme', basePath: '/app', ...pages }));
      },
    });
    sites.push(site);
    return site;
  }

  const policyOf = ({ headers }: HttpResponse) => headers['content-security-policy'] as string;

  it('is a page of the pages: card, stylesheet, name and the way to another method', async () => {
    const site = await open();
    const { email, link } = await askForLink(site);
    const page = await site.get(link);
    expectPage(page);
    expect(textOf(page)).toContain('Sign in to Acme');
    expect(textOf(page)).not.toContain(email);
    expect(page.text).toMatch(/<link rel="stylesheet" href="\/app\/assets\/pages-\w+\.css"/);
    expect(page.text).toContain('href="/app/sign-in"');
    expect(page.text).toContain('class="languages"');
  });

  it('runs no script, frames nothing and keeps the link out of other requests', async () => {
    const site = await open();
    const { link } = await askForLink(site);
    const page = await site.get(link);
    expect(page.text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
    expect(page.text).not.toContain(link.split('token=')[1]!);
    expect(policyOf(page)).toContain("default-src 'none'; style-src 'self'; img-src 'self'");
    expect(policyOf(page)).not.toContain('script-src');
    expect(policyOf(page)).toContain("frame-ancestors 'none'");
    expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  });

  it('signs in with its button, and only in the browser that shows it', async () => {
    const site = await open();
    const { link } = await askForLink(site);
    const shown = await site.get(link);
    expectPage(await press(site, link, shown, { cookie: 'svc_link_form=' + 'x'.repeat(43) }));
    const done = await openAndPress(site, link);
    expect([done.status, done.location]).toEqual([303, expect.stringContaining('/app/sign-in/done')]);
    expect(done.cookie()).toMatch(/^svc_session=/);
  });

  it('says that a link was used, or has expired, when it is opened', async () => {
    const site = await open();
    const { link } = await askForLink(site);
    await openAndPress(site, link);
    expect((await site.get(link)).location).toBe('/app/sign-in?error=token_invalid');
    const { link: other } = await askForLink(site);
    site.clock.advance(16 * 60_000);
    expect((await site.get(other)).location).toBe('/app/sign-in?error=code_expired');
  });

  it('changes its language without using the link, and not for another site', async () => {
    const site = await open();
    const { link } = await askForLink(site);
    const shown = await site.get(link);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const cookie = shown.cookie('svc_link_form');
    const body = `proof=${proofOf(shown)}&language=de`;
    const foreign = await site.send('POST', link, body, {
      cookie,
      headers: { ...form, 'Sec-Fetch-Site': 'cross-site' },
    });
    expect(foreign.cookies.map(({ name }) => name)).not.toContain('svc_language');
    const chosen = await site.send('POST', link, body, { cookie, headers: form });
    expect([chosen.status, textOf(chosen)]).toEqual([200, expect.stringContaining('Bei Acme anmelden')]);
    const german = await site.get(link, { cookie: `${cookie}; ${chosen.cookie('svc_language')}` });
    expect(textOf(german)).toContain('Bei Acme anmelden');
    expect((await press(site, link, shown, {})).cookie()).toMatch(/^svc_session=/);
  });

  it('has the template of the application, which must keep the proof', async () => {
    const own = await open({
      templates: {
        linkConfirmation: (_page, { proof }) =>
          html`<form method="post">
            <input type="hidden" name="proof" value="${proof}" /><button>Go</button>
          </form>`,
      },
    });
    const { link } = await askForLink(own);
    expect(textOf(await own.get(link))).toContain('Go');
    const broken = await open({ templates: { linkConfirmation: () => html`<p>Nothing</p>` } });
    const { link: other } = await askForLink(broken);
    const failed = await broken.get(other);
    expect(failed.text).not.toContain('Nothing');
    expect(JSON.stringify(broken.log)).toContain('lacks proof of its view');
  });
});
