/**
 * Sends requests over a real socket with exactly the headers of the test, and checks the rules that apply to every
 * response of the routes.
 */
import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { checkReason } from './refusal-reason.js';

export interface HttpRequest {
  method: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  /** An object or array is sent as JSON; a string or bytes are sent unchanged, without a content type. */
  body?: unknown;
  /** Sends the body in chunks, without a length. */
  chunked?: boolean;
}

export interface SetCookie {
  name: string;
  value: string;
  /** By lower-case name; `true` for attributes without a value. */
  attributes: Record<string, string | true>;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body; undefined if it is empty or not JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as supertest's `res.body`
  json: any;
  cookies: SetCookie[];
  /** The target of a redirect. */
  location: string | undefined;
  /** Returns `name=value` of a cookie that was set, for a `Cookie` header. Throws if it was not set. */
  cookie(name?: string): string;
}

export interface HttpClient {
  send(sent: HttpRequest): Promise<HttpResponse>;
  close(): void;
}

/** A request without a response by then counts as hanging. */
const timeoutMs = 60_000;

export function httpClient(port: number): HttpClient {
  const agent = new Agent({ keepAlive: true });
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers = {}, body, chunked = false }) =>
      new Promise((resolve, reject) => {
        const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
        const bytes = isRaw ? Buffer.from(body ?? '') : Buffer.from(JSON.stringify(body));
        const hasBody = body !== undefined;
        const outgoing = request({
          agent,
          host: '127.0.0.1',
          port,
          method,
          path,
          timeout: timeoutMs,
          headers: {
            ...(!isRaw && { 'Content-Type': 'application/json' }),
            ...(hasBody &&
              (chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes.length })),
            ...headers,
          },
        });
        outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path} got no response`)));
        outgoing.on('error', reject);
        outgoing.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve(
              toHttpResponse(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString()),
            ),
          );
        });
        if (chunked) for (let at = 0; at < bytes.length; at += 7) outgoing.write(bytes.subarray(at, at + 7));
        outgoing.end(hasBody && !chunked ? bytes : undefined);
      }),
  };
}

export function toHttpResponse(status: number, headers: IncomingHttpHeaders, text: string): HttpResponse {
  const cookies = (headers['set-cookie'] ?? []).map(parseSetCookie);
  return {
    status,
    headers,
    text,
    json: parseJson(text),
    cookies,
    location: headers.location,
    cookie(name = 'svc_session') {
      const cookie = cookies.find((each) => each.name === name && each.value !== '');
      if (!cookie) throw new Error(`${status} ${text} sets no cookie ${name}`);
      return `${cookie.name}=${cookie.value}`;
    },
  };
}

export function parseSetCookie(line: string): SetCookie {
  const [pair = '', ...rest] = line.split(/; */);
  const at = pair.indexOf('=');
  const attributes = rest.map((part) => {
    const [name = '', value] = part.split('=');
    return [name.toLowerCase(), value ?? true] as const;
  });
  return { name: pair.slice(0, at), value: pair.slice(at + 1), attributes: Object.fromEntries(attributes) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Each code has one message, regardless of its cause.
const messageOf = new Map<string, string>();

/** Checks the rules that apply to every response of the routes, success or failure. */
export function checkCommonRules(
  method: string,
  response: HttpResponse,
  { tellsTokens: mayContainTokens = false } = {},
): void {
  const { status, headers, text, json, location } = response;
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: expect.stringMatching(/(^|, *)Cookie($|,)/i) as string,
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  if (headers['content-type'] === 'text/html; charset=utf-8') checkPageRules(headers, text);
  else if (text !== '') {
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toBeInstanceOf(Object);
  }
  for (const visible of [text, location ?? '']) {
    if (!mayContainTokens) expect(visible).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/);
    expect(visible).not.toMatch(/\$2[aby]\$|cheap\$|passwordHash|password_hash/);
    expect(visible).not.toMatch(/\.(?:ts|js):\d+|node_modules|at \w+ \(/);
  }
  // The response to HEAD has no body.
  if (status < 400 || (text === '' && method === 'HEAD')) return;
  checkReason(response);
  const {
    error,
    message,
    reason,
    field,
    diagnosis: _,
    ...others
  } = json as Record<'error' | 'message', string> & Record<string, unknown>;
  for (const detail of [reason, field]) expect(['string', 'undefined']).toContain(typeof detail);
  // A guard that refuses a session with one factor names no methods.
  const isBare = error === 'mfa_required' && Object.keys(others).length === 0;
  const pending = mayContainTokens && 'pending' in others ? ['pending'] : [];
  // Several fields of the application may be wrong at once.
  const issues = reason === 'field_invalid' && 'issues' in others ? ['issues'] : [];
  expect(Object.keys(others)).toEqual(isBare ? [] : [...(detailsOf[error] ?? []), ...issues, ...pending]);
  expect(typeof message).toBe('string');
  // Outside production, this one names the content type of the request.
  if (message.startsWith('The content type must be ')) return;
  if (!messageOf.has(error)) messageOf.set(error, message);
  expect({ error, message }).toEqual({ error, message: messageOf.get(error) });
}

/** The properties that only the errors of one code have. */
const detailsOf: Readonly<Record<string, readonly string[]>> = {
  rate_limit_exceeded: ['retryAfterMs'],
  challenge_required: ['challenge'],
  mfa_required: ['methods', 'preferred'],
};

/** Checks the rules of a page: no script, no frames, nothing from elsewhere. */
function checkPageRules(headers: IncomingHttpHeaders, text: string): void {
  const policy = String(headers['content-security-policy']);
  for (const directive of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
    expect(policy.split('; ')).toContain(directive);
  expect(policy).not.toMatch(/script-src|unsafe/);
  expect(headers['x-frame-options']).toBe('DENY');
  expect(text).toMatch(/^<!doctype html>/);
  expect(text).not.toMatch(/<script|https?:|\son\w+=/i);
  // With `svc-auth/pages`, it has their stylesheet and their links.
  for (const [, target] of text.matchAll(/\s(?:href|src|action)="([^"]*)"/g))
    expect(target).toMatch(/^(?:#|\/(?!\/))/);
}
