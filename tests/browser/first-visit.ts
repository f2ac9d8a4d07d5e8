/**
 * `npm run bench -- visit` measures what a visit costs in Chromium, on Slow 4G with a processor of a quarter of the speed: requests, bytes
 * over the wire, the time to the first paint and what moves. Prints a table for docs/performance.md. `VISIT_ROUNDS` (default 5) is the
 * number of visits to each page, whose median paint counts.
 */
import type { Page } from 'playwright-core';
import { slowDown, visitCost, type VisitCost } from './support/visit-cost.js';
import { startPageApplication } from './support/page-application.js';
import { launchBrowser } from './support/people.js';

const rounds = Number(process.env['VISIT_ROUNDS'] ?? 5);
const tenMore = [
  'github',
  'gitlab',
  'microsoft',
  'apple',
  'discord',
  'facebook',
  'linkedin',
  'x',
  'slack',
  'twitch',
];

const browser = await launchBrowser();
const [few, many] = [await startPageApplication(), await startPageApplication({ providers: tenMore })];
try {
  console.log('| Page | Requests | First visit | Later | First paint | Later | Layout shift |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  await row('Sign-in', few.origin, '/sign-in');
  await row('Sign-in with 12 identity providers', many.origin, '/sign-in');
  await row('Sign-up', few.origin, '/sign-up');
  await row('Security, in the account', few.origin, '/account/security');
} finally {
  await browser.close();
  await few.stop();
  await many.stop();
}

async function row(name: string, origin: string, path: string): Promise<void> {
  const costs: { first: VisitCost; later: VisitCost }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext({ baseURL: origin, locale: 'en-US' });
    const page = await context.newPage();
    if (path.startsWith('/account')) await signUp(page, round);
    await slowDown(await context.newCDPSession(page));
    const first = await visitCost(page, path, 'empty');
    costs.push({ first, later: await visitCost(page, path, 'filled') });
    await context.close();
  }
  const [{ first, later }] = costs as [(typeof costs)[number]];
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const paint = (visit: 'first' | 'later') => {
    const sorted = costs.map((cost) => cost[visit].paintMs).sort((a, b) => a - b);
    return `${((sorted[Math.floor(rounds / 2)] ?? NaN) / 1000).toFixed(2)} s`;
  };
  const shift = Math.max(...costs.map((cost) => cost.first.shift));
  console.log(
    `| ${name} | ${first.requests} | ${kB(first.bytes)} | ${kB(later.bytes)} | ${paint('first')} | ${paint('later')} | ${shift} |`,
  );
}

async function signUp(page: Page, round: number): Promise<void> {
  await page.goto('/sign-up');
  await page.fill('#field-email', `visitor${round}@acme.test`);
  await page.fill('#field-password', 'correct horse battery staple');
  await page.click('button.primary');
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-up'));
}
