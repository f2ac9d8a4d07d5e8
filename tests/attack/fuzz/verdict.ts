/** What an answer may be, whatever was asked: none that hangs, none over 499 but those that the route documents, no cookie on a refusal. */
import { checkDescribed, describedRoutes } from '../../support/described-answers.js';
import { checkEveryAnswer, type Answer, type SetCookie } from '../../support/http-client.js';
import type { LogEntry } from '../../support/make-service.js';
import type { Sent } from './knowledge.js';

export function judge({ method, path, headers, log }: Sent & { log: LogEntry[] }, answer: Answer): void {
  const entries = log.splice(0);
  const { status, json, location } = answer;
  const at = path.replace(/\?.*$/, '');
  const route = describedRoutes.find((each) => each.method === method.toLowerCase() && each.pattern.test(at));
  const told = { sent: `${method} ${path}`, status, text: answer.text.slice(0, 300) };
  expect({ ...told, failed: entries.filter(({ level }) => level === 'error') }).toEqual({
    ...told,
    failed: [],
  });
  // Express's own word for what is no route and for which methods there are; nothing of ours was asked.
  const isOurs = headersOf(answer) || (route !== undefined && status !== 404);
  if (!isOurs) return expect({ ...told, cookies: answer.cookies }).toEqual({ ...told, cookies: [] });
  checkEveryAnswer(method, answer, { tellsTokens: /^\/token\//i.test(at) });
  checkDescribed(method, path, answer);
  const { error } = (json ?? {}) as { error?: string };
  if (status >= 500)
    expect({ ...told, error }).toEqual({ ...told, status: 501, error: 'provider_not_configured' });
  if (status === 501) expect(at).toMatch(/^\/oauth\//i);
  if (location !== undefined)
    expect(location).toMatch(
      /^\/(\?|$)|^http:\/\/127\.0\.0\.1:\d+\/authorize\?|^https:\/\/app\.test\/api\/auth\/oauth\/acme\/callback\?/,
    );
  const isRefusal = status >= 400 || (location ?? '').startsWith('/?error=');
  const faults = isRefusal
    ? answer.cookies.filter((each) => !mayComeWithRefusal(each, at, error ?? location, headers))
    : [];
  expect({ ...told, faults }).toEqual({ ...told, faults: [] });
}

/** `post /logout`, where the answer is no refusal and leads to no failure. */
export function routeThatSucceeded({ method, path }: Pick<Sent, 'method' | 'path'>, answer: Answer) {
  if (answer.status >= 400 || (answer.location ?? '').startsWith('/?error=')) return undefined;
  const at = path.replace(/\?.*$/, '');
  const route = describedRoutes.find((each) => each.method === method.toLowerCase() && each.pattern.test(at));
  return route && `${route.method} ${route.path}`;
}

const headersOf = ({ headers }: Answer) => headers['cache-control'] === 'no-store';

/**
 * A ceremony or a redirect that is over, a sign-in that waits for its second factor, and a session that was renewed, being due,
 * before what was asked turned out to be refused.
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
