/**
 * What a server under load and the benchmark agree on. A server describes its requests as data, so that one load
 * generator drives svc-auth, the bare references and the other libraries in the same way.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const password = 'correct horse battery staple';
export const bcryptCost = 10;
export const poolSize = 10;
/** The users that exist before the first measurement; one per connection signs in. */
export const emails = Array.from({ length: 16 }, (_, i) => `user${i}@example.com`);

/** A request. `{email}` and `{code}` in the path and the body are replaced. */
export interface Call {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A request of a signed-in user. Every response must contain `expected`: some libraries answer strangers with 200. */
export interface Read extends Call {
  expected: string;
}

export interface Site {
  /** Returns the signed-in user, after a query. Several requests are sent in turn, one per connection. */
  session?: Read | Read[];
  /** A route of the application that only a signed-in user may call, after a query. */
  protected?: Read | Read[];
  /** A route of the application that needs an access token, after a query. */
  accessToken?: Read | Read[];
  /** The same as `protected` without a query, as far as the library offers it. */
  stateless?: Read | Read[];
  /** Sign-ins must set this cookie: some libraries redirect in either case. */
  cookie?: string;
  signUp?: Call;
  login?: Call;
  code?: { send: Call; verify: Call };
}

export type Message = { ready: { origin: string; site: Site } } | { mail: { to: string; code: string } };

/** Returns a POST of JSON. */
export function post(path: string, body: object): Call {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

/** Hands a code to the benchmark, as an email would. */
export function deliver(to: string, code: string): void {
  process.send?.({ mail: { to, code } } satisfies Message);
}

/** Starts the server on a free port and sends its description to the benchmark. Ends with the benchmark. */
export async function serve(
  app: RequestListener,
  describe: (origin: string) => Site | Promise<Site>,
  create: (app: RequestListener) => Server = (listener) => createServer(listener),
): Promise<void> {
  const server = create(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  process.once('disconnect', () => process.exit());
  process.send?.({ ready: { origin, site: await describe(origin) } } satisfies Message);
}

/** Sends a call and returns the cookies of the response as a `Cookie` header. Throws if there are none. */
export async function cookiesOf(origin: string, { path, ...init }: Call): Promise<string> {
  const response = await fetch(origin + path, { ...init, redirect: 'manual' });
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  if (cookies.length === 0) throw new Error(`${path} set no cookie: ${response.status}`);
  return cookies.join('; ');
}

/** Returns the call for one user. */
export function fill(call: Call, values: Record<string, string>): Call {
  const replace = (text: string) =>
    text.replace(/\{(email|code)\}/g, (match, name: string) => values[name] ?? match);
  return {
    ...call,
    path: replace(call.path),
    body: call.body === undefined ? undefined : replace(call.body),
  };
}
