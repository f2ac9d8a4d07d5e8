/** Actions of a user on a site over HTTP, other than signing in, and summaries of the responses. */
import { softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from './authenticator-app.js';
import { origin } from './every-provider.js';
import type { HttpResponse } from './http-client.js';
import type { Account, Site } from './http-site.js';
import { tallyOf } from './outcomes.js';

type Authenticator = ReturnType<typeof softwareAuthenticator>;

/** Length of a TOTP time step in milliseconds. */
export const totpStepMs = 30_000;

/** Returns a function that creates a different phone number of the same country on each call. */
export function phoneSequence(): () => string {
  let next = 0;
  return () => `+1415${2_000_000 + (next += 1)}`;
}

export const uniquePhone = phoneSequence();

/** Returns a different code with the same number of characters. */
export const differentCode = (code = '') => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));

/** Returns the status and the error code of a failure, or the status alone of a success. */
export const outcome = ({ status, json, location }: HttpResponse): string =>
  status < 300 ? String(status) : `${status} ${(json?.error as string | undefined) ?? location ?? ''}`.trim();

/** Counts the responses by outcome. */
export const tallyResponses = (answers: readonly HttpResponse[]) => tallyOf(answers.map(outcome));

export const isSignedIn = async (site: Site, cookie: string) =>
  (await site.get('/session', { cookie })).status === 200;

/** Returns the claims of a token without verifying it, as an attacker can read them from a cookie. */
export function readToken(cookieOrToken: string): Record<string, unknown> {
  const token = cookieOrToken.replace(/^[^=]*=/, '');
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
}

/** Enrolls an authenticator app over HTTP. The clock is advanced by one step, so that `code()` returns an unused code. */
export async function enrollTotp(site: Site, cookie: string) {
  const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
  const code = () => codeAt(secret, site.clock.now());
  const confirmed = await site.post('/totp/confirm', { code: code() }, { cookie });
  expect(confirmed.status).toBe(200);
  // A code is accepted once.
  site.clock.advance(totpStepMs);
  return {
    response: confirmed,
    cookie: confirmed.cookie(),
    secret: secret as string,
    code,
    recoveryCodes: confirmed.json.recoveryCodes as string[],
  };
}

/** Registers a passkey for the signed-in user over HTTP. */
export async function addPasskey(
  site: Site,
  cookie: string,
  authenticator: Authenticator = softwareAuthenticator({ origin }),
): Promise<Authenticator> {
  const started = await site.post('/passkeys/register/start', undefined, { cookie });
  const response = authenticator.create(started.json.options);
  const both = `${cookie}; ${started.cookie('svc_webauthn')}`;
  const finished = await site.post('/passkeys/register/finish', { response }, { cookie: both });
  expect(finished.status).toBe(200);
  return authenticator;
}

/** Signs in with a passkey. @param cookie cookies that the browser already has. */
export async function signInByPasskey(
  site: Site,
  authenticator: Authenticator,
  cookie = 'theme=dark',
  tampering: Parameters<Authenticator['get']>[1] = {},
): Promise<HttpResponse> {
  const started = await site.post('/passkeys/authenticate/start');
  const response = authenticator.get(started.json.options, tampering);
  const both = `${cookie}; ${started.cookie('svc_webauthn')}`;
  return site.post('/passkeys/authenticate/finish', { response }, { cookie: both });
}

/** Issues a token pair for the signed-in user. */
export async function issueTokens(site: Site, { cookie }: Pick<Account, 'cookie'>) {
  const answer = await site.post('/token/issue', {}, { cookie });
  expect(answer.status).toBe(200);
  return answer.json as { accessToken: string; refreshToken: string; familyId: string };
}

/** Requests a password reset and returns the token from the mail. */
export async function requestResetToken(site: Site, email: string): Promise<string> {
  await site.post('/password/request-reset', { email });
  await site.settle();
  return site.mailedToken(email);
}

export const logIn = (site: Site, email: string, password: string) =>
  site.post('/password/login', { email, password });
