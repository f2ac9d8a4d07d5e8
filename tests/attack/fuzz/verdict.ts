/** Checks any response: no undocumented status above 499, no error in the log, and no cookie with an error. */
import { checkDocumented, documentedRoutes } from '../../support/documented-responses.js';
import { checkCommonRules, type HttpResponse, type SetCookie } from '../../support/http-client.js';
import type { LogEntry } from '../../support/make-service.js';
import type { Sent } from './knowledge.js';

export function judge(
  { method, path, headers, log }: Sent & { log: LogEntry[] },
  response: HttpResponse,
): void {
  const entries = log.splice(0);
  const { status, json, location } = response;
  const requestPath = path.replace(/\?.*$/, '');
  const route = documentedRoutes.find(
    (each) => each.method === method.toLowerCase() && each.pattern.test(requestPath),
  );
  const context = { sent: `${method} ${path}`, status, text: response.text.slice(0, 300) };
  expect({ ...context, failed: entries.filter(({ level }) => level === 'error') }).toEqual({
    ...context,
    failed: [],
  });
  // A default response of Express for an unknown route or method; no handler of the library was called.
  const isOurs = headersOf(response) || (route !== undefined && status !== 404);
  if (!isOurs) return expect({ ...context, cookies: response.cookies }).toEqual({ ...context, cookies: [] });
  checkCommonRules(method, response, { tellsTokens: /^\/token\//i.test(requestPath) });
  checkDocumented(method, path, response);
  const { error } = (json ?? {}) as { error?: string };
  if (status >= 500)
    expect({ ...context, error }).toEqual({ ...context, status: 501, error: 'provider_not_configured' });
  // A provider that is not configured, or `session.bearer`, which the storm leaves off.
  if (status === 501)
    expect(requestPath).toMatch(/^\/(?:oauth\/|session\/refresh|magic-link\/confirm|not-me)/i);
  if (location !== undefined)
    expect(location).toMatch(
      /^\/(\?|$)|^http:\/\/127\.0\.0\.1:\d+\/authorize\?|^https:\/\/app\.test\/api\/auth\/oauth\/acme\/callback(\?|$)/,
    );
  const isRefusal = status >= 400 || (location ?? '').startsWith('/?error=');
  const faults = isRefusal
    ? response.cookies.filter((each) => !mayComeWithRefusal(each, requestPath, error ?? location, headers))
    : [];
  expect({ ...context, faults }).toEqual({ ...context, faults: [] });
}

/** Returns the route, such as `post /logout`, if the response is neither an error nor a redirect to the failure page. */
export function routeThatSucceeded({ method, path }: Pick<Sent, 'method' | 'path'>, response: HttpResponse) {
  if (response.status >= 400 || (response.location ?? '').startsWith('/?error=')) return undefined;
  const requestPath = path.replace(/\?.*$/, '');
  const route = documentedRoutes.find(
    (each) => each.method === method.toLowerCase() && each.pattern.test(requestPath),
  );
  return route && `${route.method} ${route.path}`;
}

const headersOf = ({ headers }: HttpResponse) => headers['cache-control'] === 'no-store';

/**
 * Whether a response with an error may set this cookie: at the end of a ceremony or redirect, for a pending sign-in, or for a session
 * that was renewed before the request turned out to be invalid.
 */
function mayComeWithRefusal(
  { name, value }: SetCookie,
  path: string,
  error = '',
  { cookie = '' }: Sent['headers'],
): boolean {
  if (name === 'svc_webauthn') return /^\/passkeys\//i.test(path);
  if (name === 'svc_oauth') return value === '' && /\/callback\/?$/i.test(path);
  if (name === 'svc_mfa') return error.includes('mfa_required');
  const subjects = [...cookie.matchAll(/eyJ[\w-]+\.([\w-]+)\./g)].map(([, claims = '']) => subjectOf(claims));
  return name === 'svc_session' && subjects.includes(subjectOf(value.split('.')[1] ?? ''));
}

function subjectOf(claims: string): unknown {
  try {
    return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sid?: unknown }).sid;
  } catch {
    return undefined;
  }
}
