/**
 * A small application with the routes of a test service, listening on loopback: what the HTTP tests talk to.
 * When it closes, everything that reached its logger is searched for what must never get there.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type express from 'express';
import type { Express } from 'express';
import {
  createAuthRouter,
  createProRouter,
  type AuthRouterOptions,
  type ProRouterOptions,
  type StorageAdapter,
} from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { checkDescribed } from './described-answers.js';
import { checkEveryAnswer, httpClient, type Answer, type SentRequest } from './http-client.js';
import { lookAtAnswer } from './leak-hooks.js';
import { license } from './make-pro-service.js';
import { makeService, type Overrides, type TestService } from './make-service.js';

export interface SiteOptions {
  service?: Overrides;
  router?: AuthRouterOptions;
  /** Mounts the Pro router, with these options, on a service with a licence, unless the test gives it another. */
  pro?: ProRouterOptions | true;
  /** The application's own middleware, before the routes. */
  before?: (app: Express, test: TestService) => void;
  /** And behind them. */
  after?: (app: Express, test: TestService) => void;
  /** `app.set('trust proxy', …)`. */
  trustProxy?: boolean;
  /** Puts something between the service and the storage of the suite. */
  wrapAdapter?: (adapter: StorageAdapter) => StorageAdapter;
}

export interface RequestOptions {
  headers?: Record<string, string | string[]>;
  cookie?: string;
  chunked?: boolean;
  /** The answer is the application's own: do not hold it against what routes must answer. */
  foreign?: boolean;
}

export interface Site extends TestService {
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** A route, `/session` for instance. */
  get(route: string, options?: RequestOptions): Promise<Answer>;
  post(route: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  /** Any method and any body; `path` is absolute unless it is a route. */
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  /** An address that nobody used before. */
  address(): string;
  /** A user with a password, signed up over HTTP. */
  signUp(email?: string): Promise<Account>;
  /** A user with a verified address and no password, signed in by code. */
  signInByCode(email?: string, options?: RequestOptions): Promise<Account & { answer: Answer }>;
  /** The token in the newest link that was mailed to this address. */
  mailedToken(to: string): string;
  /** Waits until mails in the background are through. */
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

export const base = '/api/auth';
export const goodPassword = 'correct horse battery';

let sites = 0;
const twoDays = 2 * 24 * 60 * 60 * 1000;

/** The site stands on `adapter`, which stays open when it closes, at a time when no earlier site's limits count. */
export async function openSite(
  makeApp: typeof express,
  adapter: StorageAdapter | undefined,
  options: SiteOptions = {},
): Promise<Site> {
  sites += 1;
  const clock = testClock(Date.now() + sites * twoDays);
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
  app.use(base, createAuthRouter(test.service, options.router));
  if (pro) app.use(base, createProRouter(test.service, pro === true ? {} : pro));
  options.after?.(app, test);
  const server = await listen(app);
  const { port } = server.address() as AddressInfo;
  const client = httpClient(port);
  const addresses = new Set<string>();
  const site = sites;
  let people = 0;

  async function send(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, cookie, chunked, foreign }: RequestOptions = {},
  ): Promise<Answer> {
    noteAddress(body, addresses);
    const isRoute = !path.startsWith(base) && !path.startsWith('/app');
    const sent: SentRequest = {
      method,
      path: isRoute ? base + path : path,
      headers: { ...headers, ...(cookie !== undefined && { Cookie: cookie }) },
      body,
      chunked,
    };
    const answer = await client.send(sent);
    // The application's own answers may tell what they like.
    if (isRoute && !foreign) lookAtAnswer(test.leaks, method, path, answer);
    if (isRoute && answer.status !== 404 && !foreign) {
      // Whoever asks for tokens gets them; nobody else finds one in a body.
      checkEveryAnswer(method, answer, { tellsTokens: path.startsWith('/token/') });
      checkDescribed(method, path, answer);
    }
    return answer;
  }

  const self: Site = {
    ...test,
    port,
    origin: `http://127.0.0.1:${port}`,
    send,
    get: (route, requestOptions) => send('GET', route, undefined, requestOptions),
    post: (route, body, requestOptions) => send('POST', route, body, requestOptions),
    address: () => `person-${site}-${(people += 1)}@example.com`,
    async signUp(email = self.address()) {
      const answer = await self.post('/password/signup', { email, password: goodPassword });
      expect(answer.status).toBe(200);
      return { email, password: goodPassword, cookie: answer.cookie(), user: answer.json.user };
    },
    async signInByCode(email = self.address(), requestOptions) {
      await self.post('/email-code/send', { email });
      const code = test.mail.lastCode(email);
      const answer = await self.post('/email-code/verify', { email, code }, requestOptions);
      expect(answer.status).toBe(200);
      return { email, password: '', cookie: answer.cookie(), user: answer.json.user, answer };
    },
    mailedToken(to) {
      const token = new URL(test.mail.lastLink(to) ?? 'missing:').searchParams.get('token');
      if (!token) throw new Error(`no link was mailed to ${to}`);
      return token;
    },
    settle: () => test.service.close(),
    async close() {
      client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      // Drains what is under way; a shared adapter stays open.
      await test.service.close();
      searchLog(test, addresses);
    },
  };
  return self;
}

export async function listen(app: Express): Promise<Server> {
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve(server));
  });
}

function noteAddress(body: unknown, addresses: Set<string>): void {
  const { email } = (typeof body === 'object' && body !== null ? body : {}) as { email?: unknown };
  if (typeof email === 'string' && email.includes('@')) addresses.add(email);
}

/** Secrets are looked for as they are logged (leak-hooks.ts); here it is people's addresses. */
function searchLog({ log }: TestService, addresses: Set<string>): void {
  const written = log.map((entry) => JSON.stringify(entry));
  expect([...addresses].flatMap((address) => written.filter((line) => line.includes(address)))).toEqual([]);
  // An `Origin` may have an @ in it and be no address.
  const addressLike = /(?<![\w.+/-])[\w.+-]{2,}@[\w-]+\.\w/;
  expect(written.filter((line) => addressLike.test(line))).toEqual([]);
}
