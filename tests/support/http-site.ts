/**
 * A small application that mounts the routes of a test service and listens on loopback. The HTTP tests send
 * their requests to it. When it closes, its log is searched for email addresses.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type express from 'express';
import type { Express } from 'express';
import {
  createAdminRouter,
  createAuthRouter,
  createProRouter,
  type AdminRouterOptions,
  type AuthRouterOptions,
  type ProRouterOptions,
  type StorageAdapter,
} from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { checkDocumented } from './documented-responses.js';
import {
  checkCommonRules,
  httpClient,
  type HttpResponse,
  type HttpClient,
  type HttpRequest,
} from './http-client.js';
import { scanResponse } from './leak-hooks.js';
import { license } from './make-pro-service.js';
import { makeService, type Overrides, type TestService } from './make-service.js';
import { supertestClient } from './supertest-client.js';

export interface SiteOptions {
  service?: Overrides;
  router?: AuthRouterOptions;
  /** Mounts the Pro router with these options on a licensed service. The test can pass its own license. */
  pro?: ProRouterOptions | true;
  /** Options of the admin router. By default, every user may do everything. */
  admin?: AdminRouterOptions;
  /** The application's own middleware, before the routes. */
  before?: (app: Express, test: TestService) => void;
  /** The application's own middleware, after the routes. */
  after?: (app: Express, test: TestService) => void;
  /** `app.set('trust proxy', …)`. */
  trustProxy?: boolean;
  /** Wraps the storage before the service uses it. */
  wrapAdapter?: (adapter: StorageAdapter) => StorageAdapter;
}

export interface RequestOptions {
  headers?: Record<string, string | string[]>;
  cookie?: string;
  chunked?: boolean;
  /** The response comes from the application itself: skip the checks that apply to the routes. */
  skipChecks?: boolean;
}

export interface Site extends TestService {
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** @param route for example `/session`. */
  get(route: string, options?: RequestOptions): Promise<HttpResponse>;
  post(route: string, body?: unknown, options?: RequestOptions): Promise<HttpResponse>;
  /** Any method and any body; `path` is absolute unless it is a route. */
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<HttpResponse>;
  /** Returns an email address that no account uses. */
  uniqueEmail(): string;
  /** Signs up a user with a password over HTTP. */
  signUp(email?: string): Promise<Account>;
  /** Signs in a user with an email code: the address is verified and the user has no password. */
  signInByCode(email?: string, options?: RequestOptions): Promise<Account & { response: HttpResponse }>;
  /** Returns the token in the newest link that was mailed to this address. */
  mailedToken(to: string): string;
  /** Waits until mails in the background have been sent. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface Account {
  email: string;
  password: string;
  /** The `Cookie` header of its session. */
  cookie: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- JSON
  user: any;
}

export const basePath = '/api/auth';
export const validPassword = 'correct horse battery';

let sites = 0;
const twoDays = 2 * 24 * 60 * 60 * 1000;

/** Opens a site on `adapter`, which stays open when the site closes. Its clock starts when the rate limits of earlier sites there have expired. */
export async function openSite(
  makeApp: typeof express,
  adapter: StorageAdapter | undefined,
  options: SiteOptions = {},
): Promise<Site> {
  sites += 1;
  const clock = testClock(Date.now() + (adapter ? sites : 1) * twoDays);
  const shared = adapter && { ...adapter, init: async () => undefined, close: async () => undefined };
  const wrapped = shared && (options.wrapAdapter?.(shared) ?? shared);
  const { pro } = options;
  const test = await makeService({
    clock,
    ...(wrapped && { adapter: wrapped }),
    ...(pro && license),
    ...options.service,
  });
  const app = makeApp();
  if (options.trustProxy) app.set('trust proxy', true);
  options.before?.(app, test);
  app.use(basePath, createAuthRouter(test.service, options.router));
  if (pro) app.use(basePath, createProRouter(test.service, pro === true ? {} : pro));
  app.use(basePath, createAdminRouter(test.service, options.admin ?? { authorize: () => true }));
  options.after?.(app, test);
  const server = await listen(app);
  const { port } = server.address() as AddressInfo;
  const raw = httpClient(port);
  const ordinary = supertestClient(port);
  const addresses = new Set<string>();
  const site = sites;
  let people = 0;

  async function sendBy(
    client: HttpClient,
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, cookie, chunked, skipChecks }: RequestOptions = {},
  ): Promise<HttpResponse> {
    noteAddress(body, addresses);
    const isRoute = !path.startsWith(basePath) && !path.startsWith('/app');
    const sent: HttpRequest = {
      method,
      path: isRoute ? basePath + path : path,
      headers: { ...headers, ...(cookie !== undefined && { Cookie: cookie }) },
      body,
      chunked,
    };
    const answer = await client.send(sent);
    // Responses of the application itself are not scanned.
    const isBearer = headers['svc-session'] === 'bearer';
    if (isRoute && !skipChecks) scanResponse(test.leaks, method, path, answer, isBearer);
    if (isRoute && answer.status !== 404 && !skipChecks) {
      // Only the token routes return tokens in a body, and sign-ins of clients without cookies.
      const tellsTokens = isBearer || path.startsWith('/token/') || path === '/session/refresh';
      checkCommonRules(method, answer, { tellsTokens });
      checkDocumented(method, path, answer);
    }
    return answer;
  }

  const self: Site = {
    ...test,
    port,
    origin: `http://127.0.0.1:${port}`,
    send: (...request) => sendBy(raw, ...request),
    get: (route, options = {}) => sendBy(ordinary, 'GET', route, undefined, options),
    // Only the raw client sends a body in chunks, or one that is not JSON without a content type.
    post: (route, body, options = {}) =>
      sendBy(
        options.chunked || typeof body === 'string' || Buffer.isBuffer(body) ? raw : ordinary,
        'POST',
        route,
        body,
        options,
      ),
    // Not a number by itself: a process has hundreds of sites, and a password that contains a word of the address is refused.
    uniqueEmail: () => `person-s${site}-${(people += 1)}@example.com`,
    async signUp(email = self.uniqueEmail()) {
      const answer = await self.post('/password/signup', { email, password: validPassword });
      expect(answer.status).toBe(200);
      return { email, password: validPassword, cookie: answer.cookie(), user: answer.json.user };
    },
    async signInByCode(email = self.uniqueEmail(), requestOptions) {
      await self.post('/email-code/send', { email });
      const code = test.mail.lastCode(email);
      const response = await self.post('/email-code/verify', { email, code }, requestOptions);
      expect(response.status).toBe(200);
      return { email, password: '', cookie: response.cookie(), user: response.json.user, response };
    },
    mailedToken(to) {
      const token = new URL(test.mail.lastLink(to) ?? 'missing:').searchParams.get('token');
      if (!token) throw new Error(`no link was mailed to ${to}`);
      return token;
    },
    settle: () => test.service.close(),
    async close() {
      raw.close();
      ordinary.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      // Waits for background work; a shared adapter stays open.
      await test.service.close();
      searchLog(test, addresses);
    },
  };
  return self;
}

export async function listen(app: Express): Promise<Server> {
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve(server));
    // While a process is busy, a client would use a connection that the server closes at that moment.
    server.keepAliveTimeout = 0;
  });
}

function noteAddress(body: unknown, addresses: Set<string>): void {
  const { email } = (typeof body === 'object' && body !== null ? body : {}) as { email?: unknown };
  if (typeof email === 'string' && email.includes('@')) addresses.add(email);
}

/** Searches the log for email addresses. Secrets are searched for as they are logged (leak-hooks.ts). */
function searchLog({ log }: TestService, addresses: Set<string>): void {
  const written = log.map((entry) => JSON.stringify(entry));
  expect([...addresses].flatMap((address) => written.filter((line) => line.includes(address)))).toEqual([]);
  // An `Origin` may contain an @ without being an address.
  const addressLike = /(?<![\w.+/-])[\w.+-]{2,}@[\w-]+\.\w/;
  expect(written.filter((line) => addressLike.test(line))).toEqual([]);
}
