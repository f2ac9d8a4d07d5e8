/** The languages of mails, and of the pages, by the choice of the account, the cookie and the request. */
import { createPages, englishTexts, type PagesOptions } from 'svc-auth/pages';
import { pageVisitor } from '../../support/page-visitor.js';
import type { Site } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';

// cspell:ignore Anmeldecode connexion Minuten Fortsätt המשך Svenska
/** Words of the subject of a mail with a code, by language. */
const subjects = { en: 'sign-in code', de: 'Anmeldecode', fr: 'code de connexion' };

async function languageOfMail(site: Site, email: string, headers: Record<string, string>): Promise<string> {
  site.clock.advance(60_000);
  const sent = await site.post('/email-code/send', { email }, { headers });
  expect(sent.status).toBe(200);
  const { subject } = site.mail.messages.at(-1)!;
  return Object.entries(subjects).find(([, words]) => subject.includes(words))?.[0] ?? subject;
}

export function languages(open: OpenSite): void {
  const openPro = () => open({ pro: true, service: { providers: { account: true } } });

  describe('the language of a mail', () => {
    it('is that of the cookie svc_language, else of the header Accept-Language, else the default', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const french = { 'Accept-Language': 'fr-CH, de;q=0.9, *;q=0.5' };
      expect(await languageOfMail(site, email, {})).toBe('en');
      expect(await languageOfMail(site, email, french)).toBe('fr');
      expect(await languageOfMail(site, email, { ...french, Cookie: 'svc_language=de' })).toBe('de');
      expect(await languageOfMail(site, email, { 'Accept-Language': 'tlh' })).toBe('en');
    });

    it('is that of the account before all, in every part of the mail', async () => {
      const site = await openPro();
      const me = await site.signInByCode();
      const email = me.user.email as string;
      expect((await site.send('PUT', '/account/language', { language: 'de' }, me)).json).toEqual({
        language: 'de',
      });
      expect(await languageOfMail(site, email, { 'Accept-Language': 'fr' })).toBe('de');
      const { html, text } = site.mail.messages.at(-1)!;
      expect(html).toMatch(/^<!doctype html>\s*<html lang="de" dir="ltr"[^>]*>/);
      expect(html).toMatch(/<body [^>]*>\s*<div\s[^>]*\blang="de"\s+dir="ltr"/);
      expect(html?.match(/\blang="[^"]*"/g)).toEqual(['lang="de"', 'lang="de"']);
      expect(text).toContain('in 10 Minuten');
      expect((await site.send('PUT', '/account/language', { language: null }, me)).json).toEqual({
        language: null,
      });
      expect(await languageOfMail(site, email, { 'Accept-Language': 'fr' })).toBe('fr');
    });

    it.each([
      ['<b>de</b>', 'de'],
      ['__proto__', 'de'],
      ['constructor', 'de'],
      ['x'.repeat(3000), 'de'],
      ['de%0d%0aBcc:%20eve@evil.test', 'de'],
    ])('ignores a cookie that is not a known language: %.30s', async (cookie, expected) => {
      const site = await open();
      const headers = { 'Accept-Language': 'de', Cookie: `svc_language=${cookie}` };
      expect(await languageOfMail(site, site.uniqueEmail(), headers)).toBe(expected);
    });

    it('is found in a header with thousands of languages, of which the first ten count', async () => {
      const site = await open();
      const many = Array.from({ length: 4_000 }, () => 'xx');
      const email = site.uniqueEmail();
      expect(await languageOfMail(site, email, { 'Accept-Language': ['de', ...many].join(',') })).toBe('de');
      expect(await languageOfMail(site, email, { 'Accept-Language': [...many, 'de'].join(',') })).toBe('en');
    });
  });

  describe('PUT /account/language', () => {
    it('returns the choice in the account and in the export', async () => {
      const site = await openPro();
      const me = await site.signInByCode();
      const before = (await site.get('/account', me)).json;
      expect(before).toMatchObject({ language: null, languages: expect.arrayContaining(['en', 'de', 'fr']) });
      await site.send('PUT', '/account/language', { language: 'fr' }, me);
      expect((await site.get('/account', me)).json).toMatchObject({ language: 'fr' });
      expect((await site.get('/account/export', me)).json).toMatchObject({ language: 'fr' });
    });

    it.each([
      ['de-DE'],
      ['tlh'],
      ['__proto__'],
      ['constructor'],
      [''],
      [7],
      [undefined],
      [['de']],
      [{ de: 1 }],
    ])('refuses %j with 400 and the field', async (language) => {
      const site = await openPro();
      const me = await site.signInByCode();
      const refused = await site.send('PUT', '/account/language', { language }, me);
      expect(refused).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
      expect((await site.get('/account', me)).json).toMatchObject({ language: null });
    });
  });

  describe('the language of the pages', () => {
    const swedish = { ...englishTexts, continue: 'Fortsätt' };
    const hebrew = { ...englishTexts, direction: 'rtl' as const, continue: 'המשך' };

    async function openPages(options: Partial<PagesOptions> = {}) {
      const site = await open({
        after(app, { service }) {
          const own = { sv: swedish, he: hebrew };
          app.use('/app', createPages(service, { name: 'Acme', languages: own, ...options }));
        },
      });
      return { site, browser: pageVisitor(site) };
    }

    it('follows the qualities of Accept-Language, and caches keep the languages apart', async () => {
      const { browser } = await openPages();
      const page = await browser.get('/app/sign-in', { 'Accept-Language': 'tlh, sv;q=0.3, he;q=0.8' });
      expect(page.text).toContain('<html lang="he" dir="rtl">');
      expect(page.headers['vary']).toBe('Cookie, Accept-Language, Accept-Encoding');
      expect((await browser.get('/app/sign-in')).text).toContain('<html lang="en" dir="ltr">');
    });

    it('is chosen in the menu below the card, which returns to the page with its query', async () => {
      const { browser } = await openPages();
      const page = await browser.get('/app/sign-up?next=%2Fnotes%3Fa%3D1');
      expect(page.text).toMatch(
        /<button class="link" name="language" value="sv" lang="sv"\s*>Svenska<\/button/,
      );
      const chosen = await browser.press('/sign-in/language', { language: 'sv' });
      expect(chosen).toMatchObject({ status: 303, location: '/app/sign-up?next=%2Fnotes%3Fa%3D1' });
      const [cookie] = chosen.cookies.filter(({ name }) => name === 'svc_language');
      expect(cookie).toMatchObject({ value: 'sv' });
      expect((await browser.follow()).text).toContain('<html lang="sv" dir="ltr">');
      const header = { 'Accept-Language': 'he' };
      expect((await browser.get('/app/sign-in', header)).text).toContain('<html lang="sv" dir="ltr">');
    });

    it('is not changed by another site, without the token of the form, or to an unknown language', async () => {
      const { browser } = await openPages();
      await browser.get('/app/sign-in');
      for (const fields of [
        { language: 'sv', form_token: 'forged' },
        { language: '__proto__' },
        { language: '<b>' },
        { language: '' },
      ]) {
        await browser.press('/sign-in/language', fields as Record<string, string>);
        expect(browser.cookieNames()).not.toContain('svc_language');
        await browser.get('/app/sign-in');
      }
    });

    it.each([['//evil.test'], ['https://evil.test/'], ['/\\evil.test'], ['javascript:alert(1)'], ['']])(
      'the menu never leads to another site: %s',
      async (to) => {
        const { browser } = await openPages();
        await browser.get('/app/sign-in');
        const { location } = await browser.press('/sign-in/language', { language: 'sv', to });
        expect(location).toBe('/app/sign-in');
      },
    );

    it('a page with a slash more at its start stays on this site', async () => {
      const { browser } = await openPages();
      const page = await browser.get('/app//sign-in');
      if (page.status === 200) {
        const { location } = await browser.press('/sign-in/language', { language: 'sv' });
        expect(location).toMatch(/^\/app\/sign-in/);
      } else expect(page.status).toBe(404);
    });

    it('there is no menu if the service offers one language', async () => {
      const site = await open({
        service: { languages: { offered: ['en'] } },
        after(app, { service }) {
          app.use('/app', createPages(service, { name: 'Acme' }));
        },
      });
      const { text } = await pageVisitor(site).get('/app/sign-in', { 'Accept-Language': 'de' });
      expect(text).toContain('<html lang="en"');
      expect(text).not.toContain('class="languages"');
    });

    it('a wrong language of the application is an error that names the text', async () => {
      const { site } = await openPages();
      const { signIn: _omitted, ...others } = englishTexts;
      const make = (own: object) => () =>
        createPages(site.service, { name: 'Acme', languages: own as never });
      expect(make({ sv: others })).toThrow(/languages\.sv\.signIn/);
      expect(make({ x: englishTexts })).toThrow(/languages\.x/);
    });
  });
}
