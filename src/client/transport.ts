/** Sends a request to a route and parses the response. Independent of the routes. */
import type { SecondFactorMethod } from '../domain/second-factor.js';
import type { FieldIssue } from '../errors/catalog.js';
import { withDates } from './dates.js';
import { createBearerTokens, type BearerOptions } from './bearer.js';
import { AuthClientError, type AuthClientErrorCode, type Challenge } from './error.js';
import { createKeyProofs } from './key-proofs.js';
import { rememberUser } from './remembered-user.js';

export type RequestHeaders = Record<string, string>;

/** `AbortSignal`, or what the client uses of it if a program has the types of neither browsers nor Node.js. */
export type ClientSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean };

/**
 * The part of `fetch` that is used, so that any implementation fits and no DOM types are needed.
 */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: RequestHeaders;
    body?: string;
    credentials: 'include' | 'omit' | 'same-origin';
    signal?: ClientSignal;
  },
) => Promise<{ status: number; ok: boolean; text(): Promise<string> }>;

export interface AuthClientOptions {
  /**
   * Where the routes are mounted: a path such as `/api/auth`, or a URL for another origin and
   * outside of browsers.
   */
  baseUrl: string;
  /** Default: the global `fetch`. */
  fetch?: Fetch;
  /** Sent with every request. A function is called for each request, for a token that changes. */
  headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>);
  /**
   * Whether to send cookies. Default `include`: also to another origin, if its CORS headers allow
   * it.
   */
  credentials?: 'include' | 'omit' | 'same-origin';
  /**
   * Tokens instead of cookies, for an application on another site. Requires `session.bearer` of the service. The client keeps the tokens
   * in memory, or in `storage`, and rotates them. `credentials` is then `omit` by default.
   */
  bearer?: true | BearerOptions;
  /**
   * Milliseconds until a request without a complete response is aborted and rejects with
   * `network_error` and the reason `timeout`. Default 15000; 0 waits without a limit.
   */
  timeoutMs?: number;
  /**
   * Solves the challenge of a `challenge_required` error: `solveProofOfWork`, or a function that shows a
   * captcha. The request is then repeated once. Without it, the request rejects.
   */
  solveChallenge?: (challenge: Challenge) => Promise<string> | string;
}

export type Send = <Result>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string | (() => string),
  body?: object,
) => Promise<Result>;

export interface Transport {
  send: Send;
  /** Returns the headers of a request that the application sends itself. */
  headersFor: (method: string, url: string) => Promise<RequestHeaders>;
}

/** Its request has a refresh token instead of an access token. */
const refreshRoute = '/session/refresh';

export function createTransport(options: AuthClientOptions): Transport {
  const { headers, timeoutMs = 15_000 } = options;
  const { credentials = options.bearer ? 'omit' : 'include' } = options;
  const remembered = rememberUser();
  const base = trimmed(options.baseUrl);
  // Read at each call, because a test or a polyfill may replace it. Called as a method of
  // `globalThis`, which browsers require.
  const request: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  const { dpop, ...bearerOptions }: BearerOptions = options.bearer === true ? {} : (options.bearer ?? {});
  const proofs = dpop && createKeyProofs(dpop === true ? {} : dpop, `svc-auth ${base}`);
  const bearer =
    options.bearer &&
    createBearerTokens(bearerOptions, `svc-auth ${base}`, async (refreshToken) => {
      const given = { 'svc-session': 'bearer' };
      const { response, body } = await exchange('POST', refreshRoute, given, { refreshToken });
      return { status: response.status, body };
    });

  const proofFor = async (
    method: string,
    url: string,
    { authorization }: RequestHeaders,
  ): Promise<RequestHeaders> => {
    const [, token] = /^DPoP (.+)$/.exec(authorization ?? '') ?? [];
    const continues = token !== undefined || url === base + refreshRoute;
    return proofs ? { dpop: await proofs.proofFor(method, url, { token, continues }) } : {};
  };

  /** Repeats a request whose proof the service has refused for its time: the clock of this device is wrong. */
  async function exchange(method: string, route: string, given: RequestHeaders, body?: object) {
    const first = await exchangeOnce(method, route, given, body);
    const { serverTime } = first.body ?? {};
    if (!proofs || typeof serverTime !== 'number') return first;
    proofs.adjust(serverTime);
    return exchangeOnce(method, route, given, body);
  }

  async function exchangeOnce(method: string, route: string, given: RequestHeaders, body?: object) {
    const proof = await proofFor(method, base + route, given);
    const signal = timeout(timeoutMs);
    const init = {
      method,
      credentials,
      headers: {
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
        ...proof,
        ...given,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    try {
      const response = await request(base + route, init);
      return { response, body: parse(await response.text()) };
    } catch (cause) {
      const details = { cause, ...(signal?.aborted && { reason: 'timeout' }) };
      throw new AuthClientError('network_error', 0, 'The service could not be reached.', undefined, details);
    }
  }

  const sendOnce = async <Result>(method: string, path: string | (() => string), body?: object) => {
    const route = typeof path === 'string' ? path : path();
    const own = typeof headers === 'function' ? await headers() : headers;
    for (let attempt = 1; ; attempt += 1) {
      const given: RequestHeaders = {
        ...remembered.headersFor(method, own),
        ...(bearer && (await bearer.headers())),
      };
      const { response, body: parsed } = await exchange(method, route, { ...given, ...own }, body);
      if (parsed) remembered.learn(route, parsed);
      if (bearer && parsed) {
        await bearer.learn(route, parsed);
        const isRefused = response.status === 401 && parsed['error'] === 'token_invalid';
        if (isRefused && attempt === 1 && (await bearer.renew(given['authorization']))) continue;
        delete parsed['bearer'];
      }
      if (response.ok && parsed) return withDates(parsed) as Result;
      throw failure(response.status, parsed);
    }
  };

  const send: Send = async <Result>(method: string, path: string | (() => string), body?: object) => {
    try {
      return await sendOnce<Result>(method, path, body);
    } catch (error) {
      const challenge = error instanceof AuthClientError ? error.challenge : undefined;
      if (!options.solveChallenge || !challenge) throw error;
      const challengeSolution = await solved(options.solveChallenge, challenge);
      return sendOnce<Result>(method, path, { ...body, challengeSolution });
    }
  };
  return {
    send,
    async headersFor(method, url) {
      if (!bearer) return {};
      const given = await bearer.headers();
      return { ...given, ...(await proofFor(method.toUpperCase(), url, given)) };
    },
  };
}

async function solved(
  solve: NonNullable<AuthClientOptions['solveChallenge']>,
  challenge: Challenge,
): Promise<string> {
  try {
    return await solve(challenge);
  } catch (cause) {
    if (cause instanceof AuthClientError) throw cause;
    throw new AuthClientError('challenge_failed', 0, 'The challenge was not solved.', undefined, { cause });
  }
}

// React Native has no `AbortSignal.timeout`: there, `fetch` decides how long a request waits.
function timeout(ms: number): AbortSignal | undefined {
  if (ms === 0 || typeof AbortSignal === 'undefined' || !AbortSignal.timeout) return undefined;
  return AbortSignal.timeout(ms);
}

export function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

/**
 * Returns a path with encoded parameters: at`/devices/${id}`. Evaluated within the request, so that
 * an invalid parameter rejects instead of throwing.
 */
export function at(strings: TemplateStringsArray, ...parameters: string[]): () => string {
  return () => String.raw({ raw: strings }, ...parameters.map(encoded));
}

function encoded(parameter: string): string {
  // Browsers resolve `.` and `..` in a path, even if they are encoded.
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
  {
    error,
    message,
    retryAfterMs,
    reason,
    field,
    issues,
    pending,
    challenge,
    methods,
    preferred,
  }: Record<string, unknown> = {},
) {
  if (status < 400 || typeof error !== 'string' || typeof message !== 'string') {
    return new AuthClientError(
      'unexpected_response',
      status,
      `The response is not from the service: ${status}.`,
    );
  }
  const wait = typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
  return new AuthClientError(error as AuthClientErrorCode, status, message, wait, {
    ...(typeof reason === 'string' && { reason }),
    ...(typeof field === 'string' && { field }),
    ...(Array.isArray(issues) && { issues: issues as FieldIssue[] }),
    ...(typeof pending === 'object' &&
      pending !== null && { pending: pending as { token: string; expiresAt: Date } }),
    ...(typeof challenge === 'object' && challenge !== null && { challenge: challenge as Challenge }),
    ...(Array.isArray(methods) && { methods: methods as SecondFactorMethod[] }),
    ...(typeof preferred === 'string' && { preferred: preferred as SecondFactorMethod }),
  });
}
