/** What people do on a site over HTTP, beside the ways in, and what their answers come to. */
import { softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from './authenticator-app.js';
import { origin } from './every-provider.js';
import type { Answer } from './http-client.js';
import type { Account, Site } from './http-site.js';
import { tallyOf } from './outcomes.js';

type Authenticator = ReturnType<typeof softwareAuthenticator>;

/** Of an authenticator app. */
export const step = 30_000;

/** Numbers of one country, each for one use. */
export function phoneNumbers(): () => string {
  let next = 0;
  return () => `+1415${2_000_000 + (next += 1)}`;
}

export const newNumber = phoneNumbers();

/** Another code of the same form. */
export const otherThan = (code = '') => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));

/** Status and code of an error; status alone of a success. */
export const outcome = ({ status, json, location }: Answer): string =>
  status < 300 ? String(status) : `${status} ${(json?.error as string | undefined) ?? location ?? ''}`.trim();

/** How often each outcome came. */
export const tally = (answers: readonly Answer[]) => tallyOf(answers.map(outcome));

export const isIn = async (site: Site, cookie: string) =>
  (await site.get('/session', { cookie })).status === 200;

/** The claims of a token, unverified: what an attacker reads out of a cookie. */
export function readToken(cookieOrToken: string): Record<string, unknown> {
  const token = cookieOrToken.replace(/^[^=]*=/, '');
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
}

/** Enrols an app for who is signed in, over HTTP: the cookie that goes on, and the codes from the next step on. */
export async function enrolTotp(site: Site, cookie: string) {
  const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
  const code = () => codeAt(secret, site.clock.now());
  const confirmed = await site.post('/totp/confirm', { code: code() }, { cookie });
  expect(confirmed.status).toBe(200);
  // A code is accepted once.
  site.clock.advance(step);
  return {
    answer: confirmed,
    cookie: confirmed.cookie(),
    secret: secret as string,
    code,
    recoveryCodes: confirmed.json.recoveryCodes as string[],
  };
}

/** Registers a passkey for who is signed in, over HTTP. */
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

/** A sign-in by passkey; `cookie`: what the browser has already. */
export async function signInByPasskey(
  site: Site,
  authenticator: Authenticator,
  cookie = 'theme=dark',
  lie: Parameters<Authenticator['get']>[1] = {},
): Promise<Answer> {
  const started = await site.post('/passkeys/authenticate/start');
  const response = authenticator.get(started.json.options, lie);
  const both = `${cookie}; ${started.cookie('svc_webauthn')}`;
  return site.post('/passkeys/authenticate/finish', { response }, { cookie: both });
}

/** A token pair for who is signed in. */
export async function issueTokens(site: Site, { cookie }: Pick<Account, 'cookie'>) {
  const answer = await site.post('/token/issue', {}, { cookie });
  expect(answer.status).toBe(200);
  return answer.json as { accessToken: string; refreshToken: string; familyId: string };
}

/** Asks for a reset, and takes the token out of the mail. */
export async function mailedReset(site: Site, email: string): Promise<string> {
  await site.post('/password/request-reset', { email });
  await site.settle();
  return site.mailedToken(email);
}

export const logIn = (site: Site, email: string, password: string) =>
  site.post('/password/login', { email, password });
