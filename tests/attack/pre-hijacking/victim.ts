/** How a victim proves the mailbox, each time in a new browser. */
import type { HttpResponse } from '../../support/http-client.js';
import { sessionUser, signInElsewhere, userOf, type ProviderRoute, type Stage } from './stage.js';

export interface Arrival {
  userId: string;
  cookie: string;
}

export const victimsPassword = 'chosen by the victim';

async function arrivalOf(stage: Stage, response: HttpResponse): Promise<Arrival> {
  const userId = await userOf(stage, response);
  if (userId === null)
    throw new Error(`The victim is not signed in: ${response.status} ${response.text} ${response.location}`);
  return { userId, cookie: response.cookie() };
}

export async function byCode(stage: Stage, email: string): Promise<Arrival> {
  await stage.post('/email-code/send', { email });
  const code = stage.mail.lastCode(email);
  return arrivalOf(stage, await stage.post('/email-code/verify', { email, code }));
}

async function byLink(stage: Stage, email: string): Promise<Arrival> {
  await stage.post('/magic-link/send', { email });
  return arrivalOf(stage, await stage.get(`/magic-link/verify?token=${stage.mailedToken(email)}`));
}

/** Sets a password by reset and signs in with it. Signs up by code first if no account has the address. */
async function byReset(stage: Stage, email: string): Promise<Arrival> {
  if (!(await stage.adapter.users.findByEmail(email))) await byCode(stage, email);
  await stage.post('/password/request-reset', { email });
  await stage.settle();
  const body = { token: stage.mailedToken(email), newPassword: victimsPassword };
  expect((await stage.post('/password/reset', body)).status).toBe(200);
  return arrivalOf(stage, await stage.post('/password/login', { email, password: victimsPassword }));
}

const byProvider = (route: ProviderRoute) => async (stage: Stage, email: string) => {
  const subject = stage.accountElsewhere({ email, email_verified: true });
  return arrivalOf(stage, await signInElsewhere(stage, route, subject));
};

/** Each proof signs in to the account with the address. */
export const proofs: Record<string, (stage: Stage, email: string) => Promise<Arrival>> = {
  'an email code': byCode,
  'a magic link': byLink,
  'a password reset': byReset,
  'a Google sign-in with a verified address': byProvider('google'),
  'a sign-in by a trusted generic provider': byProvider('oauth/trusted'),
};

/** Each tries to give the address to the victim's own account, and fails if another account has it. */
export const moves: Record<
  string,
  (stage: Stage, email: string) => Promise<{ answer: HttpResponse; own: Arrival }>
> = {
  async 'a guest upgrade by code'(stage, email) {
    const { user, token } = await stage.service.sessionsProvider.createGuest();
    const own = { userId: user.id, cookie: `svc_session=${token}` };
    await stage.post('/guest/upgrade/send', { email }, { cookie: own.cookie });
    const body = { email, code: stage.mail.lastCode(email) };
    return { own, answer: await stage.post('/guest/upgrade', body, { cookie: own.cookie }) };
  },
  async 'a change of addressconfirmed by both mailboxes'(stage, email) {
    const old = stage.uniqueEmail();
    const own = await byCode(stage, old);
    await stage.post('/account/email', { email }, { cookie: own.cookie });
    // If another account has the address, a notice is mailed there instead of a code.
    const code =
      stage.mail.messages.findLast(({ to }) => to === email)?.kind === 'notice'
        ? '000000'
        : stage.mail.lastCode(email);
    const body = { email, code, currentCode: stage.mail.lastCode(old) };
    return { own, answer: await stage.post('/account/email/confirm', body, { cookie: own.cookie }) };
  },
};

/** Returns the session after a change that may have replaced it. */
export async function continueSession(
  stage: Stage,
  { userId, cookie }: Arrival,
  response: HttpResponse,
): Promise<Arrival> {
  const next = { userId, cookie: response.status === 200 ? response.cookie() : cookie };
  expect(await sessionUser(stage, next.cookie)).toBe(userId);
  return next;
}
