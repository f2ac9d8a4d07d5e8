// The country of a phone number on the pages: which ones, in which language, which first, and what a + means.
// cspell:ignore Staaten Vereinigte Österreich
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { smsOutbox } from 'svc-auth/testing';
import { errorsOf, mount } from '../support/account-pages.js';
import { unescaped } from '../support/admin-pages.js';
import { fullSiteOpener } from '../support/full-site.js';
import type { HttpResponse } from '../support/http-client.js';
import { pageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();
const path = `${mount}/sign-in/phone`;

async function openPhone(pages: Partial<PagesOptions> = {}, allowed?: readonly string[]) {
  const sender = smsOutbox();
  const allowCountry = (iso2: string) => allowed?.includes(iso2) ?? true;
  const site = await openSite({
    service: { providers: { phoneOtp: { sender, allowCountry } } },
    after: (app, { service }) =>
      app.use(mount, createPages(service, { name: 'Acme', basePath: mount, ...pages })),
  });
  return { site, sender, browser: pageVisitor(site) };
}

function choicesOf({ text }: HttpResponse): [code: string, label: string][] {
  return [...text.matchAll(/<option value="([A-Z]{2})"[^>]*>([^<]*)</g)].map(([, code = '', label = '']) => [
    code,
    unescaped(label).replace(/[\u2066\u2069]/g, ''),
  ]);
}

const chosenIn = ({ text }: HttpResponse) => /<option value="([A-Z]{2})" selected/.exec(text)?.[1];

describe('The country of a phone number', () => {
  it('is one of those that allowCountry accepts, by name in the language of the page', async () => {
    const { browser } = await openPhone({}, ['AT', 'DE', 'US']);
    expect(choicesOf(await browser.get(path, { 'Accept-Language': 'de' }))).toEqual([
      ['DE', 'Deutschland (+49)'],
      ['AT', 'Österreich (+43)'],
      ['US', 'Vereinigte Staaten (+1)'],
    ]);
    expect(choicesOf(await browser.get(path, { 'Accept-Language': 'en' })).map(([code]) => code)).toEqual([
      'AT',
      'DE',
      'US',
    ]);
  });

  it.each([
    ['de-AT,de;q=0.9', 'AT'],
    ['en-GB', 'GB'],
    ['de', 'DE'],
    ['ja', 'JP'],
    ['ar', 'EG'],
    ['xx-XX', 'US'],
  ])('is chosen by the language %s of the browser: %s', async (language, country) => {
    const { browser } = await openPhone();
    expect(chosenIn(await browser.get(path, { 'Accept-Language': language }))).toBe(country);
  });

  it('is the configured one, if it is allowed', async () => {
    const { browser } = await openPhone({ defaultCountry: 'CH' });
    expect(chosenIn(await browser.get(path, { 'Accept-Language': 'ja' }))).toBe('CH');
    const other = await openPhone({ defaultCountry: 'CH' }, ['AT', 'DE']);
    expect(chosenIn(await other.browser.get(path, { 'Accept-Language': 'ja' }))).toBe('AT');
  });

  it('is named in the error if the option is not a country', async () => {
    const refused = { name: 'Acme', defaultCountry: 'Germany' };
    const { site } = await openPhone();
    expect(() => createPages(site.service, refused)).toThrow(
      /defaultCountry.*must be a country in two letters of ISO 3166-1, such as DE/,
    );
  });

  it.each([
    ['DE', '0151 1234 5678', '+4915112345678'],
    ['DE', '(0151) 1234/5678', '+4915112345678'],
    ['IT', '06 1234 5678', '+390612345678'],
    ['US', '(415) 555-2671', '+14155552671'],
    ['US', '+49 151 12345678', '+4915112345678'],
    ['DE', '+1 415 555 2671', '+14155552671'],
    ['DE', '00 1 415 555 2671', '+14155552671'],
  ])('makes a number of %s and %s, unless it starts with +', async (country, phone, e164) => {
    const { sender, browser } = await openPhone();
    await browser.get(path);
    expect((await browser.submit({ country, phone })).location).toBe(`${path}/code`);
    expect(sender.messages.map(({ to }) => to)).toEqual([e164]);
  });

  it('shows the number in the groups of its country, from left to right', async () => {
    const { browser } = await openPhone();
    await browser.get(path);
    await browser.submit({ country: 'DE', phone: '0151 1234 5678' });
    expect((await browser.follow()).text).toContain(
      '<strong><bdi dir="ltr">+49\u00a01511\u00a02345678</bdi></strong>',
    );
  });

  it('is shown in the groups of its country on the page of the code', async () => {
    const { browser } = await openPhone();
    await browser.get(path);
    await browser.submit({ country: 'US', phone: '4155552671' });
    const { text } = await browser.get(`${path}/code`);
    expect(text).toContain('<bdi dir="ltr">+1\u00a0415\u00a0555\u00a02671</bdi>');
  });

  it.each([
    ['DE', '12'],
    ['ZZ', '0151 1234 5678'],
    ['', '0151 1234 5678'],
    ['__proto__', '0151 1234 5678'],
    ['DE', '0151 1234 5678 ext. 9'],
  ])('keeps what was chosen if the number is refused: %j and %j', async (country, phone) => {
    const { sender, browser } = await openPhone();
    await browser.get(path);
    const refused = await browser.submit({ country, phone });
    expect(errorsOf(refused)).toEqual([
      'phone: This phone number isn’t valid. Check the country and the number.',
    ]);
    expect(chosenIn(refused)).toBe(country === 'DE' ? 'DE' : 'US');
    expect(sender.messages).toEqual([]);
  });

  it('is refused next to the number if it is not allowed', async () => {
    const { sender, browser } = await openPhone({}, ['AT']);
    await browser.get(path);
    const refused = await browser.submit({ country: 'AT', phone: '+1 415 555 2671' });
    expect(errorsOf(refused)).toEqual([
      'phone: Phone numbers from this country aren’t supported. Use another number.',
    ]);
    expect(sender.messages).toEqual([]);
  });
});
