/** An application with an OAuth server, one resource and its pages, and a browser that goes through them. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAuthRouter, type StorageAdapter } from 'svc-auth';
import { createOAuthServer, type OAuthServer, type OAuthServerOptions } from '../../src/oauth-server.js';
import { createPages } from '../../src/pages.js';
import { loginAs } from '../../testing/index.js';
import { license, proProviders } from './make-pro-service.js';
import { makeService, type TestService } from './make-service.js';

export interface OAuthSite {
  app: express.Express;
  issuer: string;
  resource: string;
  oauth: OAuthServer;
  test: TestService;
  /** Signs a new browser in. */
  browser(email: string): Promise<Browser>;
  close(): Promise<void>;
}

export async function openOAuthSite(
  options: Partial<OAuthServerOptions> = {},
  adapter?: StorageAdapter,
  more: Parameters<typeof makeService>[0] = {},
): Promise<OAuthSite> {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  // While a process is busy, a client would use a connection that the server closes at that moment.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resource = `${issuer}/mcp`;
  const test = await makeService({
    ...license,
    ...more,
    ...(adapter && { adapter }),
    encryptionKey: 'an encryption key of a test, with 32 bytes or more',
    providers: { ...proProviders, totp: true, sessions: { canImpersonate: () => true }, ...more.providers },
  });
  const { service } = test;
  const oauth = createOAuthServer(service, {
    issuer,
    ...options,
    resources: {
      [resource]: { scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' } },
      ...options.resources,
    },
  });
  app.use(oauth.router);
  app.use('/api/auth', createAuthRouter(service));
  app.use(createPages(service));
  app.get('/mcp', oauth.requireAccessToken({ resource, scopes: ['notes:read'] }), (req, res) => {
    const { scopes, clientId, extra } = (
      req as unknown as { auth: import('../../src/oauth-server.js').AccessTokenInfo }
    ).auth;
    res.json({ scopes, clientId, email: extra.user.email });
  });
  return {
    ...{ app, issuer, resource, oauth, test },
    async browser(email) {
      const { cookie } = await loginAs(app, email, { service });
      return new Browser(issuer, cookie);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}

/** @param fields matches of a name and a value. */
export function formOf(fields: readonly (readonly string[])[]): string {
  return new URLSearchParams(
    fields.map(([, name = '', value = '']): [string, string] => [name, value]),
  ).toString();
}

/** Follows redirects and sends forms, with cookies, without a window. */
export class Browser {
  private readonly jar = new Map<string, { value: string; path: string }>();

  constructor(
    private readonly origin: string,
    cookie?: string,
  ) {
    if (cookie !== undefined) this.setCookie(`${cookie}; Path=/`);
  }

  setCookie(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
    const isGone = attributes.some(
      (each) => /^expires=Thu, 01 Jan 1970/i.test(each) || /^max-age=0/i.test(each),
    );
    if (isGone) this.jar.delete(name);
    else this.jar.set(name, { value, path });
  }

  dropCookie(name: string): void {
    this.jar.delete(name);
  }

  async send(target: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(target, this.origin);
    const sent = [...this.jar].filter(([, { path }]) => url.pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string> | undefined), cookie };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) this.setCookie(line);
    return response;
  }

  /** Opens a page, and follows redirects on this site. Returns the last URL, and the page or the address of another site. */
  async open(target: string, init?: RequestInit): Promise<{ url: URL; status: number; html: string }> {
    let url = new URL(target, this.origin);
    let response = await this.send(url.href, init);
    for (let step = 0; step < 10; step++) {
      const location = response.headers.get('location');
      if (location === null) break;
      url = new URL(location, url);
      if (url.origin !== this.origin || url.pathname === '/callback')
        return { url, status: response.status, html: '' };
      response = await this.send(url.href);
    }
    const html = await response.text();
    const refresh = /<meta http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1];
    if (refresh !== undefined) return this.open(refresh.replaceAll('&amp;', '&'));
    return { url, status: response.status, html };
  }

  /** Sends the form of a page with this action. @param typed replaces the values of fields. */
  async submit(
    html: string,
    action: string,
    typed: Record<string, string> = {},
  ): Promise<{ url: URL; status: number; html: string }> {
    const form = [...html.matchAll(/<form[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].find(
      ([, target]) => target === action,
    );
    if (!form) throw new Error(`The page has no form ${action}: ${html.slice(0, 2000)}`);
    const fields = [...form[2]!.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)];
    return this.open(action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin },
      body: formOf(fields.map(([field, name = '', value = '']) => [field, name, typed[name] ?? value])),
    });
  }
}
