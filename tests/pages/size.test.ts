// What a page loads: the stylesheet, the script and the icon of the pages, and nothing else.
import { gzipSync } from 'node:zlib';
import express from 'express';
import { createPages } from 'svc-auth/pages';
import { openSite } from '../support/http-site.js';
import { pageVisitor } from '../support/page-visitor.js';

describe('the files of the pages', () => {
  it('the script, the stylesheet and the icon have less than 20 KB together with gzip, and a page loads nothing else', async () => {
    const site = await openSite(express, undefined, {
      after: (app, { service }) => void app.use('/app', createPages(service, { name: 'Acme' })),
    });
    const browser = pageVisitor(site);
    const page = await browser.get('/app/sign-in');
    const files = [...page.text.matchAll(/(?:src|href)="(\/app\/assets\/[^"]+)"/g)].map(
      ([, file = '']) => file,
    );
    expect(files).toHaveLength(3);
    // A link to the page itself loads nothing.
    const loading = page.text.match(/<(?:script|link(?! rel="expect" href="#)|img|iframe|object)\b/g);
    expect(loading).toHaveLength(files.length);
    let bytes = 0;
    for (const file of files) bytes += gzipSync((await browser.get(file)).text, { level: 6 }).length;
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(20_000);
    await site.close();
  });
});
