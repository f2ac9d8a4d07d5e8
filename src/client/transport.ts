/** One request to a route and what becomes of its answer. Knows no route. */
import { withDates } from './dates.js';
import { AuthClientError, type AuthClientErrorCode } from './error.js';
import { rememberUser } from './remembered-user.js';

export type RequestHeaders = Record<string, string>;

/** As much of `fetch` as is used, so that any of them will do and no library of types is needed. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: RequestHeaders;
    body?: string;
    credentials: 'include' | 'omit' | 'same-origin';
    signal?: AbortSignal;
  },
) => Promise<{ status: number; ok: boolean; text(): Promise<string> }>;

export interface AuthClientOptions {
  /** Where the routes are mounted: `/api/auth`, or a URL outside of browsers and for another origin. */
  baseUrl: string;
  /** In place of the global one. */
  fetch?: Fetch;
  /** Sent with every request; a function is asked each time, for a token that changes. */
  headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>);
  /** Whether cookies go along. Default `include`: to another origin too, where it allows that. */
  credentials?: 'include' | 'omit' | 'same-origin';
  /**
   * Milliseconds until a request without a complete response is aborted and rejects with `network_error` and the reason `timeout`.
   * Default 15000; 0 waits without a limit.
   */
  timeoutMs?: number;
}

export type Send = <Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string | (() => string),
  body?: object,
) => Promise<Answer>;

export function createSend(options: AuthClientOptions): Send {
  const { headers, credentials = 'include', timeoutMs = 15_000 } = options;
  const remembered = rememberUser();
  const base = trimmed(options.baseUrl);
  // Asked for at each call: a test or a polyfill may put another one there. Called by itself, as browsers want it.
  const request: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  return async <Answer>(method: string, path: string | (() => string), body?: object) => {
    const route = typeof path === 'string' ? path : path();
    const url = base + route;
    const own = typeof headers === 'function' ? await headers() : headers;
    const signal = timeout(timeoutMs);
    const init = {
      method,
      credentials,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...remembered.headersFor(method, own),
        ...own,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    let answer, text;
    try {
      answer = await request(url, init);
      text = await answer.text();
    } catch (cause) {
      const details = { cause, ...(signal?.aborted && { reason: 'timeout' }) };
      throw new AuthClientError('network_error', 0, 'The service cannot be reached.', undefined, details);
    }
    const parsed = parse(text);
    if (parsed) remembered.learn(route, parsed);
    if (answer.ok && parsed) return withDates(parsed) as Answer;
    throw failure(answer.status, parsed);
  };
}

// React Native has no `AbortSignal.timeout`. Without it a request waits as long as `fetch` does.
function timeout(ms: number): AbortSignal | undefined {
  if (ms === 0 || typeof AbortSignal === 'undefined' || !AbortSignal.timeout) return undefined;
  return AbortSignal.timeout(ms);
}

export function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

/** A path with its parameters encoded: at`/devices/${id}`. Made within the request, so that a bad one rejects and does not throw. */
export function at(texts: TemplateStringsArray, ...parameters: string[]): () => string {
  return () => String.raw({ raw: texts }, ...parameters.map(encoded));
}

function encoded(parameter: string): string {
  // No encoding keeps a browser from taking dots for a way up.
  if (/^\.{0,2}$/.test(parameter)) throw new AuthClientError('invalid_request', 0, 'An id is missing.');
  return encodeURIComponent(parameter);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function failure(
  status: number,
  { error, message, retryAfterMs, reason, field }: Record<string, unknown> = {},
) {
  if (status < 400 || typeof error !== 'string' || typeof message !== 'string') {
    return new AuthClientError('unexpected_answer', status, `The answer is not of the service: ${status}.`);
  }
  const wait = typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
  return new AuthClientError(error as AuthClientErrorCode, status, message, wait, {
    ...(typeof reason === 'string' && { reason }),
    ...(typeof field === 'string' && { field }),
  });
}
