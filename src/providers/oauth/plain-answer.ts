/**
 * Normalizes the response of a token endpoint that supports OAuth without OpenID to the form that openid-client requires. Its known
 * deviations are harmless; refusing them would exclude such providers.
 */
import type { CustomFetch } from 'openid-client';

/** Returns a `fetch` that normalizes the responses of `tokenEndpoint` and does not change any others. */
export function plainAnswers(fetch: CustomFetch, tokenEndpoint: string): CustomFetch {
  const endpoint = new URL(tokenEndpoint).href;
  return async (url, options) => {
    const response = await fetch(url, options);
    if (url !== endpoint || response.status !== 200) return response;
    const text = await response.text();
    return new Response(JSON.stringify(inOrder(parsed(text))), {
      headers: { 'content-type': 'application/json' },
    });
  };
}

function inOrder(answer: Record<string, unknown>): Record<string, unknown> {
  // An ID token cannot be verified without keys, so it must neither be used nor passed on.
  const { id_token: _unchecked, ...rest } = answer;
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  // RFC 6749, 5.1 requires the type. If a provider omits it, the token is still a bearer token.
  const { token_type = 'bearer', scope } = present;
  return { ...present, token_type, ...(scope !== undefined && { scope: scopeText(scope) }) };
}

/** RFC 6749, 3.3 separates by spaces; GitHub by commas, Twitch sends a list. */
function scopeText(scope: unknown): unknown {
  if (Array.isArray(scope)) return scope.join(' ');
  return typeof scope === 'string' ? scope.replace(/,\s*/g, ' ') : scope;
}

function parsed(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('The token endpoint did not return a JSON object.');
  }
  return value as Record<string, unknown>;
}
