/** Every built-in mail as a mail program shows it: accessible, no wider than a phone in any language, and as in its picture. */
// cspell:ignore novembre نوفمبر برلين ألمانيا Donaudampfschifffahrtsgesellschaft Deutschland Allemagne
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import type { Brand } from '../../src/core/support/brand.js';
import { builtInMails } from '../../src/core/mail/texts/built-in.js';
import { everyMail, plainBrand, type NamedMail } from '../support/every-mail.js';
import { axeFaultsOf } from './support/axe.js';
import { launchBrowser } from './support/people.js';
import { comparePicture, pictureScale } from './support/pictures.js';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

const green: Brand = { ...plainBrand('Acme'), accent: '#1f6b4f', supportUrl: 'mailto:help@acme.test' };
/** As the languages write the time and the place of one event. */
const events = {
  en: { time: 'November 26, 2026 at 10:50 PM UTC', device: 'Firefox on Linux', place: 'Berlin, Germany' },
  de: { time: '26. November 2026 um 22:50 UTC', device: 'Firefox auf Linux', place: 'Berlin, Deutschland' },
  fr: { time: '26 novembre 2026 à 22:50 UTC', device: 'Firefox sur Linux', place: 'Berlin, Allemagne' },
  ar: {
    time: '26 نوفمبر 2026 في 10:50 م UTC',
    device: '\u200f\u2068Firefox\u2069 على \u2068Linux\u2069',
    place: 'برلين، ألمانيا',
  },
};
const languages = Object.keys(events) as (keyof typeof events)[];

async function mailsIn(language: string, brand = green): Promise<NamedMail[]> {
  const texts = await builtInMails.get(language)!();
  return everyMail(
    { brand, language, texts },
    Object.hasOwn(events, language) ? events[language as 'en'] : events.en,
  );
}

async function open(): Promise<Page> {
  const context = await browser.newContext({ deviceScaleFactor: pictureScale, reducedMotion: 'reduce' });
  return context.newPage();
}

async function show(
  page: Page,
  { html }: NamedMail,
  width: number,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  await page.setViewportSize({ width, height: 400 });
  await page.emulateMedia({ colorScheme });
  await page.setContent(html);
}

/** Each width, scheme and direction. The layout does not depend on the language, but the lengths of its sentences do. */
const pictured = {
  en: [
    [640, 'light'],
    [360, 'dark'],
  ],
  de: [[360, 'light']],
  fr: [[360, 'dark']],
  ar: [[360, 'light']],
} as const;

for (const language of languages)
  test(`every mail looks like its pictures (${language})`, async () => {
    const page = await open();
    const faults: string[] = [];
    for (const mail of await mailsIn(language))
      for (const [width, scheme] of pictured[language]) {
        await show(page, mail, width, scheme);
        const problem = await comparePicture(page, `mails/${mail.name}-${language}-${width}-${scheme}`);
        if (problem) faults.push(problem);
      }
    assert.deepEqual(faults, []);
  });

test('every mail fits a small phone, in every language and with a long name', async () => {
  const page = await open();
  const faults: string[] = [];
  for (const language of builtInMails.keys()) {
    const mails = await mailsIn(language, { ...green, name: 'Donaudampfschifffahrtsgesellschaft' });
    await page.setContent('<body></body>');
    const widths = await page.evaluate(
      async (documents) => {
        const frames = documents.map((html) => {
          const frame = document.createElement('iframe');
          const loaded = new Promise((resolve) => void frame.addEventListener('load', resolve));
          Object.assign(frame, { srcdoc: html, width: '320', height: '2000' });
          document.body.append(frame);
          return loaded.then(() => frame.contentDocument!.documentElement.scrollWidth);
        });
        return Promise.all(frames);
      },
      mails.map(({ html }) => html),
    );
    for (const [index, { name }] of mails.entries())
      if (widths[index] !== 320) faults.push(`${name} (${language}): ${widths[index]} px`);
  }
  assert.deepEqual(faults, []);
});

test('the labels of an event are one line each, in every language', async () => {
  const page = await open();
  const faults: string[] = [];
  for (const language of builtInMails.keys()) {
    const mail = (await mailsIn(language)).find(({ name }) => name === 'password-changed');
    await show(page, mail!, 320, 'light');
    const heights = await page.locator('td.muted[valign=top]').evaluateAll((labels) =>
      labels.map((label) => {
        const range = document.createRange();
        range.selectNodeContents(label);
        return range.getBoundingClientRect().height;
      }),
    );
    if (heights.length !== 3 || Math.max(...heights) > 30) faults.push(`${language}: ${heights.join()}`);
  }
  assert.deepEqual(faults, []);
});

/** One mail of each layout. */
const layouts = ['sign-in-code', 'recovery-codes-low', 'magic-link-with-code'];

for (const language of ['en', 'ar'])
  test(`a mail of each layout is accessible in light and dark (${language})`, async () => {
    const page = await open();
    const faults: string[] = [];
    for (const mail of await mailsIn(language)) {
      if (!layouts.includes(mail.name)) continue;
      await show(page, mail, 640, 'light');
      faults.push(...(await axeFaultsOf(page, '[role=article]')).map((fault) => `${mail.name}: ${fault}`));
    }
    assert.deepEqual(faults, []);
  });

// A program that removes the head shows the light mail, and must not show half of the dark one.
test('a mail without its head is as wide, and as a mail in the light', async () => {
  const page = await open();
  for (const mail of await mailsIn('en')) {
    if (!layouts.includes(mail.name)) continue;
    const html = mail.html.replace(/<head>[\s\S]*<\/head>/, '').replace(/<!doctype html>/, '');
    await show(page, { ...mail, html: `<!doctype html>${html}` }, 640, 'dark');
    assert.equal(await comparePicture(page, `mails/${mail.name}-en-640-light`), null);
  }
});

for (const [name, accent] of Object.entries({
  black: '#000000',
  yellow: '#ffd400',
  pastel: '#f5c2d7',
  white: '#ffffff',
}))
  test(`the button of a brand in ${name} is seen and can be read in light and dark`, async () => {
    const page = await open();
    const brand = { ...green, accent };
    const [mail] = (await mailsIn('en', brand)).filter((each) => each.name === 'magic-link-with-code');
    for (const scheme of ['light', 'dark'] as const) {
      await show(page, mail!, 640, scheme);
      const problem = await comparePicture(page, `mails/brand-${name}-640-${scheme}`);
      assert.equal(problem, null);
    }
    assert.deepEqual(await axeFaultsOf(page, '[role=article]'), []);
  });

test('the logo has its size, is another one in the dark, and is the name while images are blocked', async () => {
  const page = await open();
  const origin = 'https://cdn.acme.test';
  const mailLogo = { url: `${origin}/light.png`, dark: `${origin}/dark.png`, width: 120, height: 32 };
  const [mail] = await mailsIn('en', { ...green, mailLogo });
  const image = PNG.sync.write(new PNG({ width: 240, height: 64 }));
  await page.route(`${origin}/*`, (route) => route.fulfill({ contentType: 'image/png', body: image }));
  for (const [scheme, file] of [
    ['light', 'light.png'],
    ['dark', 'dark.png'],
  ] as const) {
    await show(page, mail!, 640, scheme);
    const shown = page.locator('img:visible');
    assert.equal(await shown.count(), 1);
    assert.equal(await shown.getAttribute('src'), `${origin}/${file}`);
    const box = await shown.boundingBox();
    assert.deepEqual([box?.width, box?.height], [120, 32]);
  }
  await page.unroute(`${origin}/*`);
  await page.route(`${origin}/*`, (route) => route.abort());
  await show(page, { ...mail!, html: mail!.html.replaceAll('.png', '.png?blocked') }, 640, 'light');
  assert.equal(await comparePicture(page, 'mails/logo-blocked-en-640-light'), null);
});
