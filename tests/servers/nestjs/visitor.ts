/** A browser that visits an application of NestJS. */
import type { NestApplication, NestOptions, NestStarters } from '../../support/nest-applications.js';

export type Starters = () => Promise<NestStarters>;

export interface Reply {
  status: number;
  // The tests compare whole bodies.
  body: Record<string, unknown>;
  headers: Headers;
}

export interface Visitor {
  id: string;
  cookie: string;
  get: (path: string, headers?: Record<string, string>) => Promise<Reply>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>;
}

/** Someone without a session. */
export const stranger = (site: NestApplication) => visitor(site, '', '');

/** Signs in by a code. */
export async function signIn(
  site: NestApplication,
  email = 'ada@example.com',
  path = '/api/auth',
): Promise<Visitor> {
  const { post } = stranger(site);
  await post(`${path}/email-code/send`, { email });
  const { status, body, headers } = await post(`${path}/email-code/verify`, {
    email,
    code: site.mails.lastCode(email),
  });
  expect({ status, body }).toMatchObject({ status: 200, body: { user: { email } } });
  return visitor(site, cookieOf(headers), (body['user'] as { id: string }).id);
}

export const cookieOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');

function visitor({ url }: NestApplication, cookie: string, id: string): Visitor {
  const call = async (path: string, init: RequestInit): Promise<Reply> => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>;
    return { status: response.status, body, headers: response.headers };
  };
  const own: Record<string, string> = cookie === '' ? {} : { cookie };
  return {
    id,
    cookie,
    get: (path, headers) => call(path, { headers: { ...own, ...headers } }),
    post: (path, body, headers) =>
      call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...own, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

/** Starts an application before the tests of a `describe`, and stops it after them. */
export function siteOf(starters: Starters, options: NestOptions = {}): () => NestApplication {
  let site: NestApplication | undefined;
  beforeAll(async () => {
    site = await (await starters()).startGlobal(options);
  });
  afterAll(() => site?.close());
  return () => site!;
}
