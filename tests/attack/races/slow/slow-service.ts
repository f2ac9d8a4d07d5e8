/** A service whose calls can be delayed, its users, and the events that can happen in the meantime. */
import { outbox, smsOutbox, testClock } from 'svc-auth/testing';
import type { StorageAdapter } from 'svc-auth';
import { codeAt } from '../../../support/authenticator-app.js';
import type { StorageContext } from '../../../support/describe-adapters.js';
import { encryptionKey, everyProvider, type EveryProviderOptions } from '../../../support/every-provider.js';
import { pausableHasher, type PausePoint } from '../../../support/pause-points.js';
import type { TestService } from '../../../support/make-service.js';
import { license, proFixtures, settleService } from '../../../support/make-pro-service.js';
import { outcomeOf } from '../../../support/outcomes.js';

export const password = 'correct horse battery';
export const step = 30_000;
export const startSession = { startSession: true };

export interface SlowService extends TestService {
  texts: ReturnType<typeof smsOutbox>;
  /** Where the next password verification is delayed. */
  point: PausePoint;
}

export interface Person {
  test: SlowService;
  userId: string;
  email: string;
}

/** Events that can overtake a call. Each revokes every session of the user. */
export const endings: Record<string, (person: Person) => Promise<unknown>> = {
  'a password reset': async ({ test, email }) => {
    await test.service.emailPassword.requestReset({ email });
    await settleService(test);
    const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
    return test.service.emailPassword.setPassword({ token, newPassword: 'battery staple' });
  },
  'a password change': ({ test: { service }, userId }) =>
    service.emailPassword.changePassword({
      userId,
      currentPassword: password,
      newPassword: 'battery staple',
    }),
  'a sign-out everywhere': ({ test: { service }, userId }) => service.sessionsProvider.revokeAll(userId),
  'enabling a second factor': async ({ test: { service, clock }, userId }) => {
    const { secret } = await service.totp.beginEnrollment(userId);
    await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
  },
  'a change of email address': async ({ test: { service, mail }, userId, email: old }) => {
    const email = `new-${old}`;
    await service.account.requestEmailChange({ userId, email });
    const [code, currentCode] = [mail.lastCode(email)!, mail.lastCode(old)!];
    await service.account.confirmEmailChange({ userId, email, code, currentCode });
  },
  'an account deletion': ({ test: { service }, userId }) => service.account.deleteUser(userId),
};

/** The first verification of an unverified address. */
export const claims: Record<string, (person: Person) => Promise<unknown>> = {
  'a claim by email code': async ({ test: { service, mail }, email }) => {
    await service.emailCode.sendCode({ email });
    await service.emailCode.verify({ email, code: mail.lastCode(email)! });
  },
  'a claim by magic link': async ({ test: { service, mail }, email }) => {
    await service.magicLink.sendLink({ email });
    await service.magicLink.verify(new URL(mail.lastLink(email)!).searchParams.get('token')!);
  },
  'a claim by password reset': endings['a password reset']!,
};

export type Slow = ReturnType<typeof slow>;

export function slow({ make, uniqueEmail, adapter }: StorageContext) {
  const { unverifiedUser } = proFixtures({ make, uniqueEmail });
  const clock = testClock(Math.ceil(Date.now() / step) * step + 5_000);

  async function makeSlow(
    on: StorageAdapter = adapter(),
    options: EveryProviderOptions = {},
  ): Promise<SlowService> {
    const [mail, sms] = [outbox(), smsOutbox()];
    const { hasher, point } = pausableHasher();
    const providers = everyProvider({ mail, sms, hasher }, options);
    clock.advance(step);
    const test = await make({ adapter: on, clock, mail, ...license, encryptionKey, providers });
    return { ...test, texts: sms, point };
  }

  async function signUp(test: SlowService, verified: boolean): Promise<Person> {
    const { id: userId, email } = await unverifiedUser(test);
    if (verified) await adapter().users.markEmailVerified(userId, new Date(clock.now()));
    return { test, userId, email: email! };
  }

  /** Makes the call, runs `action` once the call is delayed, and lets it continue. Returns the outcome of the call. */
  async function during(point: PausePoint, call: () => unknown, action: () => Promise<unknown>) {
    const hold = point.pauseNext();
    const outcome = outcomeOf(call);
    await Promise.race([
      hold.reached,
      outcome.then((early) => Promise.reject(new Error(`was not delayed: ${early}`))),
    ]);
    await action();
    clock.advance(1);
    hold.release();
    return outcome;
  }

  const sessionsOf = (userId: string) => adapter().sessions.listLive(userId, new Date(clock.now()));

  return { makeSlow, signUp, during, sessionsOf, adapter, person: uniqueEmail };
}
