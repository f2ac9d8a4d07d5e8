/** Assertions that the suites share. */
import type { HttpResponse } from '../../support/http-client.js';
import { asInProduction } from '../../support/refusal-reason.js';

/** Expects an error response: the status, and a body of `error` and a constant `message` only. */
export function expectError(response: HttpResponse, status: number, code: string): void {
  expect({ status: response.status, error: response.json?.error }).toEqual({ status, error: code });
  expect(response.cookies.filter(({ value }) => value !== '')).toEqual([]);
}

/** Expects a 429 with the time to wait in the body and in the header. */
export function expectTooMany(response: HttpResponse, retryAfterMs: number): void {
  expectError(response, 429, 'rate_limit_exceeded');
  expect(asInProduction(response.json)).toEqual({
    error: 'rate_limit_exceeded',
    message: expect.any(String) as string,
    retryAfterMs,
  });
  expect(response.headers['retry-after']).toBe(String(Math.ceil(retryAfterMs / 1000)));
}

/** Expects a redirect without a body, and without a session unless `signedIn` is set. */
export function expectRedirect(response: HttpResponse, location: string, { signedIn = false } = {}): void {
  expect({ status: response.status, location: response.location, text: response.text }).toEqual({
    status: 302,
    location,
    text: '',
  });
  const names = response.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
  expect(names).toEqual(signedIn ? ['svc_session', 'svc_device'] : []);
}

/** Expects the redirect of a completed sign-in with an identity provider. */
export function expectSignedIn(response: HttpResponse, target = '/'): void {
  expect([response.status, response.location, response.text]).toEqual([302, target, '']);
  expect(response.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([
    ['svc_oauth', false],
    ['svc_session', true],
    ['svc_device', true],
  ]);
}

export const uuidV7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
export const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Matches a ServiceUser as JSON with these fields and no others (specification 2.1). */
export function userLike(fields: { email: string | null; emailVerified: boolean }): Record<string, unknown> {
  return {
    id: expect.stringMatching(uuidV7) as string,
    metadata: {},
    createdAt: expect.stringMatching(isoDate) as string,
    updatedAt: expect.stringMatching(isoDate) as string,
    ...fields,
  };
}

/** The eight routes that change something, each with a body that it would accept. */
export const postRoutes: readonly (readonly [string, object])[] = [
  ['/email-code/send', { email: 'ada@example.com' }],
  ['/email-code/verify', { email: 'ada@example.com', code: '123456' }],
  ['/magic-link/send', { email: 'ada@example.com' }],
  ['/password/signup', { email: 'ada@example.com', password: 'correct horse' }],
  ['/password/login', { email: 'ada@example.com', password: 'correct horse' }],
  ['/password/request-reset', { email: 'ada@example.com' }],
  ['/password/reset', { token: 'some.token', newPassword: 'correct horse' }],
  ['/logout', {}],
];

export const getRoutes = [
  '/magic-link/verify',
  '/session',
  '/google/start',
  '/google/callback',
  '/idp/start',
  '/idp/callback',
] as const;
