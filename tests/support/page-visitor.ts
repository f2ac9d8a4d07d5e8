/** A browser without a script: keeps cookies, follows redirects when it is asked to, and submits the form of the page. */
import { fieldsOf, unescaped } from './admin-pages.js';
import type { HttpResponse } from './http-client.js';
import type { Site } from './http-site.js';

export interface PageVisitor {
  get(path: string, headers?: Record<string, string>): Promise<HttpResponse>;
  /** Fills in fields of the first form of the page and submits it. */
  submit(fields: Record<string, string>, headers?: Record<string, string>): Promise<HttpResponse>;
  /** Submits the form whose action ends like this, as it is or with some of its fields filled in. */
  press(
    action: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<HttpResponse>;
  /** Sends a form that no page has shown. */
  post(path: string, fields: URLSearchParams): Promise<HttpResponse>;
  /** The form token of the page. */
  formToken(): string;
  /** Opens another tab, which shares the cookies. */
  newTab(): PageVisitor;
  /** Opens the target of the last redirect. */
  follow(): Promise<HttpResponse>;
  /** Takes over a `Cookie` header. */
  adopt(cookie: string): void;
  /** Deletes all cookies. */
  forget(): void;
  cookieNames(): string[];
  /** Returns the value of a cookie. */
  cookie(name: string): string | undefined;
}

export function pageVisitor(site: Site, jar = new Map<string, string>()): PageVisitor {
  let last: HttpResponse | undefined;
  let at = '/';

  async function send(
    method: 'GET' | 'POST',
    path: string,
    body?: string,
    headers = {},
  ): Promise<HttpResponse> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const type: Record<string, string> =
      body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
    last = await site.send(method, path, body, {
      headers: { ...type, ...headers },
      ...(cookie && { cookie }),
    });
    at = path;
    for (const { name, value } of last.cookies) {
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return last;
  }

  function formWith(action: string): string {
    const forms = (last?.text ?? '').match(/<form[^]*?<\/form>/g) ?? [];
    const form = forms.find((each) => actionOf(each).endsWith(action));
    if (form === undefined) throw new Error(`${at} has no form that posts to ${action}: ${last?.text}`);
    return form;
  }

  const post = (form: string, fields: Record<string, string>, headers = {}) =>
    send('POST', actionOf(form), new URLSearchParams({ ...fieldsOf(form), ...fields }).toString(), headers);

  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    submit: (fields, headers) => post(formWith(''), fields, headers),
    press: (action, fields = {}, headers = {}) => post(formWith(action), fields, headers),
    post: (path, fields) => send('POST', path, fields.toString()),
    formToken: () => fieldsOf(formWith('')).form_token ?? '',
    newTab: () => pageVisitor(site, jar),
    follow: () => send('GET', last?.location ?? '/'),
    adopt(cookie) {
      const [name = '', value = ''] = cookie.split('=');
      jar.set(name, value);
    },
    forget: () => jar.clear(),
    cookieNames: () => [...jar.keys()],
    cookie: (name) => jar.get(name),
  };
}

function actionOf(form: string): string {
  return unescaped(/\saction="([^"]*)"/.exec(form)?.[1] ?? '');
}
