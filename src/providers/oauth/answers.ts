/**
 * Normalizes the responses of identity providers to the form that openid-client requires. The known deviations of providers are harmless;
 * refusing them would exclude such providers. Nothing that is verified changes: an ID token is passed on as it came.
 */
import type { CustomFetch } from 'openid-client';

/** The deviations that depend on whether the provider speaks OpenID. */
interface Tolerance {
  /** Whether an ID token is verified. One that is not must neither be used nor passed on. */
  isOpenId: boolean;
  /** Returns whether a URL is that of the token endpoint. */
  isTokenEndpoint: (url: string) => boolean;
}

/** Returns a `fetch` that normalizes JSON, and the responses of the token endpoint. */
export function tolerant(fetch: CustomFetch, { isOpenId, isTokenEndpoint }: Tolerance): CustomFetch {
  return async (url, options) => {
    const response = await fetch(url, options);
    const isToken = isTokenEndpoint(url);
    if (isToken && response.status === 200) {
      const answer = tokenAnswer(await response.text(), isOpenId);
      // GitHub refuses with status 200.
      const isRefusal = answer['access_token'] === undefined && typeof answer['error'] === 'string';
      return json(JSON.stringify(answer), isRefusal ? 400 : 200, response);
    }
    if (!/json/i.test(response.headers.get('content-type') ?? '')) return response;
    const text = await response.text();
    return json(withLargeIntegersAsText(text), response.status, response);
  };
}

function json(text: string, status: number, { headers, url }: Response): Response {
  const sent = new Headers(headers);
  sent.set(
    'content-type',
    sent.get('content-type')?.match(/json/i) ? sent.get('content-type')! : 'application/json',
  );
  sent.delete('content-length');
  const response = new Response([204, 205, 304].includes(status) ? null : text, { status, headers: sent });
  // For the log: a new response has no URL.
  return Object.defineProperty(response, 'url', { value: url });
}

function tokenAnswer(text: string, isOpenId: boolean): Record<string, unknown> {
  const { id_token, ...rest } = parsed(text);
  const answer = isOpenId && id_token !== undefined ? { ...rest, id_token } : rest;
  const present = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
  // RFC 6749, 5.1 requires the type. If a provider omits it, the token is still a bearer token.
  const { token_type = 'bearer', scope, expires_in } = present;
  return {
    ...present,
    token_type,
    ...(scope !== undefined && { scope: scopeText(scope) }),
    ...(typeof expires_in === 'string' &&
      /^\d{1,10}$/.test(expires_in) && { expires_in: Number(expires_in) }),
  };
}

/** RFC 6749, 3.3 separates by spaces; GitHub by commas, Twitch sends a list. */
function scopeText(scope: unknown): unknown {
  if (Array.isArray(scope)) return scope.join(' ');
  return typeof scope === 'string' ? scope.replace(/,\s*/g, ' ') : scope;
}

/** Some providers send a form, or JSON as plain text. @throws Error for anything else. */
function parsed(text: string): Record<string, unknown> {
  if (/^(?:[\w.-]+=[^\s<>]*)(?:&[\w.-]+=[^\s<>]*)*$/.test(text.trim()))
    return Object.fromEntries(new URLSearchParams(text.trim()));
  const value: unknown = JSON.parse(withLargeIntegersAsText(text));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('The token endpoint did not return a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** A string, or a number with its fraction and exponent: no part of either can be mistaken for a number. */
const literal = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Puts quotation marks around integers that a double cannot represent: two people whose ids differ in the last digit would otherwise be
 * one. Text that is not JSON is returned for the parser to refuse.
 */
export function withLargeIntegersAsText(text: string): string {
  if (!/\d{16}/.test(text)) return text;
  return text.replace(literal, (part) =>
    /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part)) ? `"${part}"` : part,
  );
}
