// The addresses for browsers and password managers, of the pages and of applications with their own.
import { ConfigError, wellKnownRoutes, type WellKnownOptions } from 'svc-auth';
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { testLicense } from 'svc-auth/testing';
import { mount } from '../support/account-pages.js';
import { fullSiteOpener } from '../support/full-site.js';
import type { SiteOptions } from '../support/http-site.js';
import { day } from '../support/make-pro-service.js';
import { errorOf } from '../support/outcomes.js';
import { pageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();
const rpId = 'acme.test';
const webauthn = {
  rpId,
  origins: [`android:apk-key-hash:${'a'.repeat(43)}`, `https://${rpId}`, `https://login.${rpId}`],
};
const names = ['change-password', 'passkey-endpoints', 'webauthn'];

interface Scene {
  pages?: { at: string; options?: Partial<PagesOptions> };
  routes?: WellKnownOptions | true;
  service?: SiteOptions['service'];
  /** `undefined`: without a license. */
  pro?: true | undefined;
}

async function open({ pages, routes, service = { providers: { webauthn } }, ...others }: Scene) {
  const site = await openSite({
    ...others,
    service,
    after(app, { service }) {
      if (pages) {
        app.use(pages.at, createPages(service, { name: 'Acme', basePath: pages.at, ...pages.options }));
      }
      if (routes) app.use(mount, wellKnownRoutes(service, routes === true ? undefined : routes));
    },
  });
  const browser = pageVisitor(site);
  const answers = async () =>
    Promise.all(
      names.map(async (name) => {
        const { status, location, text } = await browser.get(`${mount}/.well-known/${name}`);
        if (status === 404) return null;
        return location ?? (JSON.parse(text) as unknown);
      }),
    );
  return { site, browser, answers };
}

describe('the well-known addresses', () => {
  it('lead to the pages that are mounted at the root', async () => {
    const { answers } = await open({ pages: { at: mount, options: { paths: { account: '/me' } } } });
    expect(await answers()).toEqual([
      `${mount}/me/security/password`,
      {
        enroll: `https://${rpId}${mount}/me/security/passkeys/add`,
        manage: `https://${rpId}${mount}/me/security`,
      },
      null,
    ]);
  });

  it('lead to the pages that are mounted elsewhere by wellKnownRoutes, whichever is created first', async () => {
    const { answers } = await open({ pages: { at: `${mount}/auth` }, routes: true });
    expect(await answers()).toEqual([
      `${mount}/auth/account/security/password`,
      {
        enroll: `https://${rpId}${mount}/auth/account/security/passkeys/add`,
        manage: `https://${rpId}${mount}/auth/account/security`,
      },
      null,
    ]);
  });

  it('lead to the own pages of an application', async () => {
    const { answers } = await open({
      routes: { changePassword: '/settings/password', passkeys: 'https://my.acme.test/passkeys' },
    });
    expect(await answers()).toEqual([
      '/settings/password',
      { manage: 'https://my.acme.test/passkeys' },
      null,
    ]);
  });

  it('lead to a reset of the password without the page that changes one', async () => {
    const pages = { at: mount, options: { paths: { reset: '/forgot' } } };
    const unlicensed = await open({ pages, pro: undefined });
    const target = `${mount}/forgot`;
    expect(await unlicensed.answers()).toEqual([target, null, null]);
    const form = await unlicensed.browser.get(target);
    expect([form.status, form.text.includes('name="email"')]).toEqual([200, true]);
    const elsewhere = await open({ pages: { at: `${mount}/auth` }, routes: true, pro: undefined });
    expect(await elsewhere.answers()).toEqual([`${mount}/auth/reset`, null, null]);
  });

  it('lead to a reset of the password as soon as the license has expired', async () => {
    const expiresAt = new Date(Date.now() + 30 * day);
    const { answers, site } = await open({ pages: { at: mount }, service: testLicense({ expiresAt }) });
    expect((await answers())[0]).toBe(`${mount}/account/security/password`);
    site.clock.advance(60 * day);
    expect((await answers())[0]).toBe(`${mount}/reset`);
  });

  it('lead to no page that does not start a reset', async () => {
    const service = { providers: { emailPassword: { resetUrl: undefined } } };
    const { answers } = await open({ pages: { at: mount }, pro: undefined, service });
    expect((await answers())[0]).toBeNull();
  });

  it('are left to the application without pages', async () => {
    const { answers } = await open({ routes: true });
    expect(await answers()).toEqual([null, null, null]);
  });

  it('are left to the application without passwords and passkeys', async () => {
    const { answers } = await open({
      pages: { at: mount },
      routes: true,
      service: { providers: { emailPassword: undefined, webauthn: undefined } },
    });
    expect(await answers()).toEqual([null, null, null]);
  });

  it('name the related origins, and not those at the domain itself', async () => {
    const relatedOrigins = ['https://acme.example', 'https://acme.shop:8443'];
    const service = { providers: { webauthn: { ...webauthn, relatedOrigins } } };
    for (const scene of [{ routes: true as const }, { pages: { at: mount } }]) {
      const { answers, browser } = await open({ ...scene, service });
      expect((await answers())[2]).toEqual({ origins: relatedOrigins });
      const { headers } = await browser.get(`${mount}/.well-known/webauthn`);
      expect(headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('name the origin of the request if it is configured, and never another one', async () => {
    const { site } = await open({ pages: { at: mount } });
    const enroll = async (host: string) => {
      const { text } = await site.send('GET', `${mount}/.well-known/passkey-endpoints`, undefined, {
        headers: { host },
      });
      return (JSON.parse(text) as { enroll: string }).enroll;
    };
    expect(await enroll(`login.${rpId}`)).toMatch(`https://login.${rpId}/`);
    for (const host of ['evil.test', `${rpId}.evil.test`, `${rpId}:444`])
      expect(await enroll(host)).toMatch(`https://${rpId}${mount}/account`);
  });

  it('contain nothing of the user who asks', async () => {
    const { browser, site } = await open({ pages: { at: mount } });
    const { cookie } = await site.signUp();
    const anonymous = await browser.get(`${mount}/.well-known/passkey-endpoints`);
    browser.adopt(cookie);
    const own = await browser.get(`${mount}/.well-known/passkey-endpoints`);
    expect(own.text).toBe(anonymous.text);
    expect(own.cookies).toEqual([]);
  });
});

describe('wellKnownRoutes', () => {
  it.each([
    [{ changePassword: 'settings' }, 'changePassword'],
    [{ passkeys: '//evil.test' }, 'passkeys'],
    [{ addPasskey: 'http://acme.test/add' }, 'addPasskey'],
    [{ addPasskey: '' }, 'addPasskey'],
    [{ changePasswords: '/x' }, 'changePasswords'],
  ])('refuses %j, and names the option', async (options, option) => {
    const { site } = await open({});
    const error = await errorOf(() => wellKnownRoutes(site.service, options as never));
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as unknown as ConfigError).faults.map(({ path }) => path)).toEqual([
      `wellKnownRoutes(service, { ${option} })`,
    ]);
  });

  it('refuses what is not a service', async () => {
    expect(await errorOf(() => wellKnownRoutes({} as never))).toBeInstanceOf(ConfigError);
  });
});
