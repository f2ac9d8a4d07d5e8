/** What a page costs: requests, bytes, and the time to its first paint on a slow connection. The figures are printed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeNotes } from './support/hands.js';
import { startPageApplication } from './support/page-application.js';
import { world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const site = world(() => startPageApplication());
const { signUp } = signIns(site);

/** The limits of DevTools for a fast 3G connection: round trips of 150 ms, 1.6 megabits per second. */
const slow = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };

test('a page needs three requests and few bytes, and is painted soon on a slow connection', async (t) => {
  const ada = await site.person();
  const { context, page } = ada;
  await signUp(ada);
  await seeNotes(page);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', slow);
  let [requests, bytes] = [0, 0];
  devtools.on('Network.responseReceived', ({ response }) => {
    // A browser asks for the icon of the tab once for a site, and paints without it.
    if (!/\/icon[^/]*$/.test(response.url)) requests += 1;
  });
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  for (const path of ['/account/security', '/account/profile', '/sign-in', '/sign-up', '/reset']) {
    if (path === '/sign-in') await context.clearCookies();
    for (const cache of ['empty', 'filled'] as const) {
      if (cache === 'empty') await devtools.send('Network.clearBrowserCache');
      await page.goto('about:blank');
      [requests, bytes] = [0, 0];
      await page.goto(path, { waitUntil: 'networkidle' });
      const paint = await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
      );
      t.diagnostic(
        `${path}, cache ${cache}: ${requests} requests, ${bytes} bytes, painted after ${Math.round(paint)} ms`,
      );
      // The sign-in also asks for passkeys to suggest.
      assert.ok(requests <= (path === '/sign-in' ? 4 : 3), `${path}: ${requests} requests`);
      assert.ok(bytes <= 60_000, `${path}: ${bytes} bytes`);
      // On a busy machine several times as long as on an idle one.
      assert.ok(paint < 3_000, `${path}: painted after ${paint} ms`);
    }
  }
});
