/** What the suites say again and again. */
import type { Answer } from '../../support/http-client.js';

/** An error as the routes give it: the status, and a body of `error` and a constant `message` alone. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, error: answer.json?.error }).toEqual({ status, error: code });
  expect(answer.cookies.filter(({ value }) => value !== '')).toEqual([]);
}

/** 429 with the time to wait, in the body and in the header. */
export function expectTooMany(answer: Answer, retryAfterMs: number): void {
  expectError(answer, 429, 'rate_limit_exceeded');
  expect(answer.json).toEqual({
    error: 'rate_limit_exceeded',
    message: expect.any(String) as string,
    retryAfterMs,
  });
  expect(answer.headers['retry-after']).toBe(String(Math.ceil(retryAfterMs / 1000)));
}

/** A redirect without a body, and without a session unless one is expected. */
export function expectRedirect(answer: Answer, location: string, { signedIn = false } = {}): void {
  expect({ status: answer.status, location: answer.location, text: answer.text }).toEqual({
    status: 302,
    location,
    text: '',
  });
  const names = answer.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
  expect(names).toEqual(signedIn ? ['svc_session', 'svc_device'] : []);
}

export const uuidV7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
export const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A ServiceUser as JSON, with these fields and no others (specification 2.1). */
export function userLike(fields: { email: string | null; emailVerified: boolean }): Record<string, unknown> {
  return {
    id: expect.stringMatching(uuidV7) as string,
    metadata: {},
    createdAt: expect.stringMatching(isoDate) as string,
    updatedAt: expect.stringMatching(isoDate) as string,
    ...fields,
  };
}

/** The eight routes that change something, with a body each would take. */
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
