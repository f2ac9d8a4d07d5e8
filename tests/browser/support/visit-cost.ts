/** What a visit to a page costs: requests, bytes over the wire, what moves while it loads, and the time to its first paint. */
import type { CDPSession, Page } from 'playwright-core';

export interface VisitCost {
  /** Without the icon of the tab, for which a browser asks once for a site, and without which it paints. */
  requests: number;
  /** With headers, and with the icon. */
  bytes: number;
  /** The cumulative layout shift. */
  shift: number;
  paintMs: number;
}

/** Slow 4G of DevTools, round trips of 150 ms and 1.6 megabits per second, and a processor with a quarter of the speed. */
export async function slowDown(devtools: CDPSession): Promise<void> {
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 94_000,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** @param cache whether the browser has been here before. */
export async function visitCost(page: Page, path: string, cache: 'empty' | 'filled'): Promise<VisitCost> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  if (cache === 'empty') await devtools.send('Network.clearBrowserCache');
  await page.goto('about:blank');
  const cost: VisitCost = { requests: 0, bytes: 0, shift: 0, paintMs: 0 };
  devtools.on('Network.responseReceived', ({ response }) => {
    if (!/\/icon[^/]*$/.test(response.url)) cost.requests += 1;
  });
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (cost.bytes += encodedDataLength));
  await page.goto(path, { waitUntil: 'networkidle' });
  cost.paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  );
  cost.shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        // The observer first reports what has happened.
        requestAnimationFrame(() => setTimeout(() => resolve(sum)));
      }),
  );
  await devtools.detach();
  return cost;
}
