/**
 * Normalizes the responses of an identity provider to the form that openid-client requires. Only the form: what proves something, such as
 * signatures, issuers and subjects, is not changed. Other clients have the same tolerances, because refusing the deviations would exclude
 * such providers (docs/providers/oauth.md).
 */
import { parseExactJson } from '../../domain/exact-json.js';

/** The requests to a provider. `userinfo` includes those of `fetchUserInfo`. */
export type ProviderRequest = 'discovery' | 'token' | 'jwks' | 'userinfo';

/** Parses a body by its content: many providers send JSON with another content type. Returns undefined for other content. */
export function parseAnswer(text: string, isForm = false): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // RFC 6749 wants JSON; drafts before it had forms, which some providers still send.
    return isForm && /(?:^|&)(?:access_token|error)=/.test(text)
      ? Object.fromEntries(new URLSearchParams(text))
      : undefined;
  }
}

/** Returns the response in the form that openid-client requires; one without JSON is returned as it is. */
export function toleratedAnswer(
  request: ProviderRequest,
  { response, answer }: { response: Response; answer: unknown },
  isOpenId: boolean,
): Response {
  if (answer === undefined) return response;
  const { ok, headers } = response;
  const normalized = ok && isObject(answer) ? normalize[request](answer, isOpenId) : answer;
  // A refusal with status 200, of GitHub or Slack for example, is an error like any other.
  const isRefusal = isObject(normalized) && isError(request, normalized, isOpenId);
  const status = ok ? (isRefusal ? 400 : 200) : response.status;
  const sent = new Headers(headers);
  sent.set('content-type', 'application/json');
  for (const ofBody of ['content-encoding', 'content-length']) sent.delete(ofBody);
  return new Response(JSON.stringify(normalized), { status, headers: sent });
}

type Answer = Record<string, unknown>;

const normalize: Record<ProviderRequest, (answer: Answer, isOpenId: boolean) => Answer> = {
  discovery: (answer) => {
    const present = withoutEmpty(answer);
    // openid-client refuses signed userinfo of a provider that does not announce it.
    const algorithms = present['id_token_signing_alg_values_supported'] ?? ['RS256'];
    return { userinfo_signing_alg_values_supported: algorithms, ...present };
  },
  jwks: (answer) => answer,
  token: tokenAnswer,
  // OpenID Connect Core, 5.3.2 wants a string.
  userinfo: (answer) => ({
    ...answer,
    ...(typeof answer['sub'] === 'number' && { sub: String(answer['sub']) }),
  }),
};

function tokenAnswer(answer: Answer, isOpenId: boolean): Answer {
  const { data } = answer;
  const isWrapped = answer['access_token'] === undefined && isObject(data) && 'access_token' in data;
  const { token_type, scope, expires_in, ...rest } = withoutNull(isWrapped ? data : answer);
  // An ID token of explicit endpoints cannot be verified without keys, so it must neither be used nor passed on.
  if (!isOpenId || rest['id_token'] === '') delete rest['id_token'];
  if (rest['refresh_token'] === '') delete rest['refresh_token'];
  const [scopes, seconds] = [scopeText(scope), Number(expires_in)];
  return {
    ...rest,
    // RFC 6749, 5.1 requires the type. If a provider omits it, the token is still a bearer token.
    token_type: token_type === undefined || token_type === '' ? 'bearer' : token_type,
    // Both are information for the application: an unreadable one is omitted.
    ...(scopes !== undefined && { scope: scopes }),
    ...(isSeconds(expires_in, seconds) && { expires_in: seconds }),
  };
}

function withoutEmpty(answer: Answer): Answer {
  return Object.fromEntries(Object.entries(withoutNull(answer)).filter(([, value]) => value !== ''));
}

function withoutNull(answer: Answer): Answer {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
}

/** RFC 6749, 3.3 separates by spaces; GitHub by commas, Twitch sends a list. */
function scopeText(scope: unknown): string | undefined {
  if (Array.isArray(scope)) return scope.filter((each) => typeof each === 'string').join(' ');
  return typeof scope === 'string' ? scope.replace(/,\s*/g, ' ') : undefined;
}

function isSeconds(value: unknown, seconds: number): boolean {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  return isNumber && Number.isFinite(seconds) && seconds >= 0;
}

/** Only if what was requested is missing: a profile may have a field of that name. */
function isError(request: ProviderRequest, { error, ...answer }: Answer, isOpenId: boolean): boolean {
  const isProfile = answer['ok'] !== false && (!isOpenId || answer['sub'] !== undefined);
  const isMissing = request === 'userinfo' ? !isProfile : answer['access_token'] === undefined;
  return isMissing && typeof error === 'string' && error !== '';
}

export function isObject(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
