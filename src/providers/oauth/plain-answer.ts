/**
 * The answer of a token endpoint that speaks OAuth without OpenID, in the form that openid-client insists on. Its oddities are known
 * and do no harm; refusing them would leave such providers out.
 */
import type { CustomFetch } from 'openid-client';

/** `fetch` that puts the answers of `tokenEndpoint` in order and leaves all others as they are. */
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
  // There are no keys to check an ID token with, so it must not count, nor be handed on as if it did.
  const { id_token: _unchecked, ...rest } = answer;
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  // RFC 6749, 5.1 requires the type. Where a provider leaves it out, the token is a bearer token all the same.
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
    throw new Error('The token endpoint did not answer with a JSON object.');
  }
  return value as Record<string, unknown>;
}
