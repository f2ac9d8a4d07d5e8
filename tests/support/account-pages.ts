/** The account pages on a site with every provider, and a signed-in browser without a script. */
import { createPages, type PagesOptions } from 'svc-auth/pages';
import { fullSiteOpener, type FullSite } from './full-site.js';
import type { HttpResponse } from './http-client.js';
import type { Account, SiteOptions } from './http-site.js';
import { unescaped } from './admin-pages.js';
import { minute } from './make-pro-service.js';
import { pageVisitor, type PageVisitor } from './page-visitor.js';

/** The path at which the tests mount the pages. */
export const mount = '/app';
export const accountPath = `${mount}/account`;

export interface AccountScene {
  site: FullSite;
  me: Account;
  browser: PageVisitor;
  /** Opens a page of the account and expects it to be shown. */
  open: (path: string) => Promise<HttpResponse>;
  /** Signs another user in, in another browser. */
  another: () => Promise<{ account: Account; browser: PageVisitor }>;
  /** Lets the sign-in become too old for sensitive changes. */
  waitUntilOld: () => void;
}

export interface AccountSceneOptions {
  site?: SiteOptions;
  pages?: Partial<PagesOptions>;
  /** Signs in with a mailed code: the address is verified, and the account has no password. */
  byCode?: boolean;
}

/** Call it once in a `describe`: it closes the sites after each test. */
export function accountPagesOpener() {
  const openSite = fullSiteOpener();
  return async ({
    site: options = {},
    pages = {},
    byCode,
  }: AccountSceneOptions = {}): Promise<AccountScene> => {
    const site = await openSite({
      ...options,
      after(app, { service }) {
        app.use(mount, createPages(service, { name: 'Acme', ...pages }));
      },
    });
    const signIn = async () => {
      const account = byCode ? await site.signInByCode() : await site.signUp();
      const browser = pageVisitor(site);
      browser.adopt(account.cookie);
      return { account, browser };
    };
    const { account: me, browser } = await signIn();
    return {
      site,
      me,
      browser,
      async open(path) {
        const page = await browser.get(accountPath + path);
        expect([path, page.status]).toEqual([path, 200]);
        return page;
      },
      another: signIn,
      waitUntilOld: () => site.clock.advance(11 * minute),
    };
  };
}

/** The errors of a page: next to its fields, or at its top. */
export function errorsOf({ text }: HttpResponse): string[] {
  const fields = [...text.matchAll(/<p class="error" id="field-(\w+)-error">\s*([^]*?)\s*<\/p>/g)];
  const [, top] = /<p class="banner bad" role="alert">\s*([^]*?)\s*<\/p>/.exec(text) ?? [];
  return [...fields.map(([, field, error]) => `${field}: ${error}`), ...(top ? [top] : [])].map(unescaped);
}

/** Returns what a page says, without its markup. */
export function textOf({ text }: HttpResponse): string {
  const body = /<body[^]*<\/body>/.exec(text)?.[0] ?? '';
  return unescaped(body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '));
}
