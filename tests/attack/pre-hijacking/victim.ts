/** How a victim proves the mailbox, each step in a browser of their own. */
import type { Answer } from '../../support/http-client.js';
import { sessionUser, signInElsewhere, userOf, type Door, type Stage } from './stage.js';

export interface Arrival {
  userId: string;
  cookie: string;
}

export const victimsPassword = 'chosen by the victim';

async function arrived(stage: Stage, answer: Answer): Promise<Arrival> {
  const userId = await userOf(stage, answer);
  if (userId === null)
    throw new Error(`The victim was not let in: ${answer.status} ${answer.text} ${answer.location}`);
  return { userId, cookie: answer.cookie() };
}

export async function byCode(stage: Stage, email: string): Promise<Arrival> {
  await stage.post('/email-code/send', { email });
  const code = stage.mail.lastCode(email);
  return arrived(stage, await stage.post('/email-code/verify', { email, code }));
}

async function byLink(stage: Stage, email: string): Promise<Arrival> {
  await stage.post('/magic-link/send', { email });
  return arrived(stage, await stage.get(`/magic-link/verify?token=${stage.mailedToken(email)}`));
}

/** Sets a password by reset and signs in with it. Where nobody has the address there is nothing to reset: then signs up by code. */
async function byReset(stage: Stage, email: string): Promise<Arrival> {
  if (!(await stage.adapter.users.findByEmail(email))) await byCode(stage, email);
  await stage.post('/password/request-reset', { email });
  await stage.settle();
  const body = { token: stage.mailedToken(email), newPassword: victimsPassword };
  expect((await stage.post('/password/reset', body)).status).toBe(200);
  return arrived(stage, await stage.post('/password/login', { email, password: victimsPassword }));
}

const elsewhere = (door: Door) => async (stage: Stage, email: string) => {
  const subject = stage.accountElsewhere({ email, email_verified: true });
  return arrived(stage, await signInElsewhere(stage, door, subject));
};

/** Each proof ends in the account of the address. */
export const proofs: Record<string, (stage: Stage, email: string) => Promise<Arrival>> = {
  'an email code': byCode,
  'a magic link': byLink,
  'a password reset': byReset,
  'google, which has verified the address': elsewhere('google'),
  'a generic provider that is trusted with addresses': elsewhere('oauth/trusted'),
};

/** Each tries to take the address into an account of the victim's own, and stays there where somebody has it. */
export const moves: Record<
  string,
  (stage: Stage, email: string) => Promise<{ answer: Answer; own: Arrival }>
> = {
  async 'a guest upgrade by code'(stage, email) {
    const { user, token } = await stage.service.sessionsProvider.createGuest();
    const own = { userId: user.id, cookie: `svc_session=${token}` };
    await stage.post('/guest/upgrade/send', { email }, { cookie: own.cookie });
    const body = { email, code: stage.mail.lastCode(email) };
    return { own, answer: await stage.post('/guest/upgrade', body, { cookie: own.cookie }) };
  },
  async 'a change of address, confirmed at both'(stage, email) {
    const old = stage.address();
    const own = await byCode(stage, old);
    await stage.post('/account/email', { email }, { cookie: own.cookie });
    // Where somebody has the address, a notice is mailed there and no code.
    const code =
      stage.mail.messages.findLast(({ to }) => to === email)?.kind === 'notice'
        ? '000000'
        : stage.mail.lastCode(email);
    const body = { email, code, currentCode: stage.mail.lastCode(old) };
    return { own, answer: await stage.post('/account/email/confirm', body, { cookie: own.cookie }) };
  },
};

/** The session after a change that may have given another one. */
export async function goesOn(stage: Stage, { userId, cookie }: Arrival, answer: Answer): Promise<Arrival> {
  const next = { userId, cookie: answer.status === 200 ? answer.cookie() : cookie };
  expect(await sessionUser(stage, next.cookie)).toBe(userId);
  return next;
}
