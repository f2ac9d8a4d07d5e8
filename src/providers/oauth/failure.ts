/** The reason why an exchange failed, in a form that is safe as the `cause` of an error. */
import { OAuthError } from '../../errors/catalog.js';

/** Codes for a person who canceled: RFC 6749, 4.1.2.1, then Apple's and LinkedIn's own. */
const canceled = ['access_denied', 'user_cancelled_authorize', 'user_cancelled_login'];

/**
 * openid-client's errors contain the response, including tokens, and applications log errors with all properties. So
 * only names, messages and codes are kept. @throws nothing; returns the error to be thrown.
 */
export function oauthFailure(error: unknown): OAuthError {
  try {
    if (error instanceof OAuthError) return error;
    return new OAuthError(undefined, { cause: withoutAnswer(error), reason: reasonOf(error) });
  } catch {
    // A function of the application may throw an object whose properties throw.
    return new OAuthError(undefined, { cause: new Error('not an error'), reason: 'provider_error' });
  }
}

/** As `oauthFailure`, as another error for each caller, where several wait for the same work. */
export function oauthFailureAnew(error: unknown): OAuthError {
  const { message, cause, reason } = oauthFailure(error);
  return new OAuthError(message, { cause, ...(reason !== undefined && { reason }) });
}

/** Only in the browser's response does the code mean that the user canceled; from another endpoint it is the provider's fault. */
function reasonOf(error: unknown): 'access_denied' | 'provider_error' {
  const { code, error: answer } = Object(error) as { code?: unknown; error?: unknown };
  const isOfBrowser = code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';
  return isOfBrowser && canceled.includes(String(answer)) ? 'access_denied' : 'provider_error';
}

export function withoutAnswer(error: unknown, depth = 0): Error {
  if (!(typeof error === 'object' && error !== null && 'message' in error)) return new Error('not an error');
  const { name, message, code, cause, error: oauthCode, stack } = error as Error & Record<string, unknown>;
  // A parser quotes what it could not read.
  const text = name === 'SyntaxError' ? 'The response is not JSON.' : message;
  const clean: Error & { code?: string; error?: string } = new Error(text);
  clean.name = name;
  // Only the frames: the lines above them repeat the message.
  clean.stack = [`${name}: ${text}`, ...frames(stack)].join('\n');
  if (typeof code === 'string') clean.code = code;
  // `invalid_grant` and its like (RFC 6749, 5.2), which a developer looks for first.
  if (typeof oauthCode === 'string' && /^[a-z_]{1,40}$/.test(oauthCode)) clean.error = oauthCode;
  // `instanceof` fails for the error of another realm.
  if (depth < 3 && typeof cause === 'object' && cause !== null && 'message' in cause)
    clean.cause = withoutAnswer(cause, depth + 1);
  return clean;
}

function frames(stack: unknown): string[] {
  return typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
}
