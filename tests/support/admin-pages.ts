/** The admin pages on a test site: an administrator, another user, and a browser without a script. */
import { createAdminPages, type AdminPagesOptions, type Authorize } from 'svc-auth/admin';
import { createOAuthServer } from 'svc-auth/oauth-server';
import type { OpenSite } from '../http/matrix.js';
import type { HttpResponse } from './http-client.js';
import type { Account, RequestOptions, Site, SiteOptions } from './http-site.js';

const oauthServer = {
  issuer: 'https://app.test',
  resources: { 'https://app.test/mcp': { scopes: { 'notes:read': 'Read your notes' } } },
};

/** The path at which the test mounts the pages. */
export const pagesPath = '/app/admin';

export const isAdmin: Authorize = ({ roles }) => roles.includes('admin');

export interface AdminScene {
  site: Site;
  me: Account;
  target: Account;
  /** The path of the page of the other user. */
  path: string;
  get: (path: string, options?: RequestOptions) => Promise<HttpResponse>;
  /** Posts a form as it is, without a form token unless `fields` has one. */
  post: (path: string, fields: Record<string, string>, options?: RequestOptions) => Promise<HttpResponse>;
  /** Opens a form, fills in some of its fields, and submits it. */
  submit: (path: string, fields?: Record<string, string>, options?: RequestOptions) => Promise<HttpResponse>;
}

export interface SceneOptions {
  site?: SiteOptions;
  pages?: Partial<AdminPagesOptions>;
}

export async function openAdminPages(open: OpenSite, options: SceneOptions = {}): Promise<AdminScene> {
  const site = await open({
    ...options.site,
    service: { audit: true, ...options.site?.service },
    after(app, { service }) {
      // Every page exists.
      createOAuthServer(service, oauthServer);
      app.use(pagesPath, createAdminPages(service, { authorize: isAdmin, ...options.pages }));
    },
  });
  const [me, target] = [await site.signUp(), await site.signUp()];
  await site.service.users.update(me.user.id as string, { roles: ['admin'], emailVerified: true });
  const own = { cookie: me.cookie };

  const get: AdminScene['get'] = (path, request = own) =>
    site.send('GET', `${pagesPath}${path}`, undefined, request);
  const post: AdminScene['post'] = (path, fields, request = own) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...request.headers };
    const body = new URLSearchParams(fields).toString();
    return site.send('POST', `${pagesPath}${path}`, body, { ...request, headers });
  };
  return {
    site,
    me,
    target,
    path: `/users/${target.user.id as string}`,
    get,
    post,
    async submit(path, fields = {}, request = own) {
      const page = await get(path, request);
      expect(page.status).toBe(200);
      return post(path, { ...fieldsOf(page.text), ...fields }, request);
    },
  };
}

/** Returns the values of the fields of the form on a page, as a browser would send them. */
export function fieldsOf(page: string): Record<string, string> {
  const fields: Record<string, string> = {};
  const form = /<form\s+method="post"[^]*?<\/form>/.exec(page)?.[0] ?? '';
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const isChecked = !/type="checkbox"/.test(tag) || /\bchecked\b/.test(tag);
    if (isChecked) fields[attribute(tag, 'name')] = attribute(tag, 'value');
  }
  for (const [, tag = '', value = ''] of form.matchAll(/(<textarea[^>]*>)([^]*?)<\/textarea>/g))
    fields[attribute(tag, 'name')] = unescaped(value.replace(/^\n/, ''));
  return fields;
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

export function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
