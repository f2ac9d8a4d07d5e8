/** A service whose calls can be held, people in it, and what may happen while a call waits. */
import { outbox, smsOutbox, testClock } from 'svc-auth/testing';
import type { StorageAdapter } from 'svc-auth';
import { codeAt } from '../../../support/authenticator-app.js';
import type { OnAdapter } from '../../../support/describe-adapters.js';
import { encryptionKey, everyProvider, type EveryOptions } from '../../../support/every-provider.js';
import { heldHasher, type HoldPoint } from '../../../support/held.js';
import type { TestService } from '../../../support/make-service.js';
import { license, pro, settled } from '../../../support/make-pro-service.js';
import { outcomeOf } from '../../../support/outcomes.js';

export const password = 'correct horse battery';
export const step = 30_000;
export const startSession = { startSession: true };

export interface SlowService extends TestService {
  texts: ReturnType<typeof smsOutbox>;
  /** Where the next password waits. */
  point: HoldPoint;
}

export interface Person {
  test: SlowService;
  userId: string;
  email: string;
}

/** What happens while a call waits. Each ends every session of the user. */
export const endings: Record<string, (person: Person) => Promise<unknown>> = {
  'a reset': async ({ test, email }) => {
    await test.service.emailPassword.requestReset({ email });
    await settled(test);
    const token = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
    return test.service.emailPassword.setPassword({ token, newPassword: 'battery staple' });
  },
  'another password': ({ test: { service }, userId }) =>
    service.emailPassword.changePassword({
      userId,
      currentPassword: password,
      newPassword: 'battery staple',
    }),
  'a sign-out everywhere': ({ test: { service }, userId }) => service.sessionsProvider.revokeAll(userId),
  'a second factor that is enabled': async ({ test: { service, clock }, userId }) => {
    const { secret } = await service.totp.beginEnrollment(userId);
    await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
  },
  'another address': async ({ test: { service, mail }, userId, email: old }) => {
    const email = `new-${old}`;
    await service.account.requestEmailChange({ userId, email });
    const [code, currentCode] = [mail.lastCode(email)!, mail.lastCode(old)!];
    await service.account.confirmEmailChange({ userId, email, code, currentCode });
  },
  'the deletion of the account': ({ test: { service }, userId }) => service.account.deleteUser(userId),
};

/** The first proof of an unverified address. */
export const claims: Record<string, (person: Person) => Promise<unknown>> = {
  'a claim by code': async ({ test: { service, mail }, email }) => {
    await service.emailCode.sendCode({ email });
    await service.emailCode.verify({ email, code: mail.lastCode(email)! });
  },
  'a claim by link': async ({ test: { service, mail }, email }) => {
    await service.magicLink.sendLink({ email });
    await service.magicLink.verify(new URL(mail.lastLink(email)!).searchParams.get('token')!);
  },
  'a claim by reset': endings['a reset']!,
};

export type Slow = ReturnType<typeof slow>;

export function slow({ make, person, adapter }: OnAdapter) {
  const { unverifiedUser } = pro({ make, person });
  const clock = testClock(Math.ceil(Date.now() / step) * step + 5_000);

  async function makeSlow(on: StorageAdapter = adapter(), options: EveryOptions = {}): Promise<SlowService> {
    const [mail, texts] = [outbox(), smsOutbox()];
    const { hasher, point } = heldHasher();
    const providers = everyProvider({ mail, texts, hasher }, options);
    clock.advance(step);
    const test = await make({ adapter: on, clock, mail, ...license, encryptionKey, providers });
    return { ...test, texts, point };
  }

  async function signedUp(test: SlowService, verified: boolean): Promise<Person> {
    const { id: userId, email } = await unverifiedUser(test);
    if (verified) await adapter().users.markEmailVerified(userId, new Date(clock.now()));
    return { test, userId, email: email! };
  }

  /** Makes the call, waits until it is held, does the other thing, and lets it go on. The outcome of the call. */
  async function during(point: HoldPoint, call: () => unknown, meanwhile: () => Promise<unknown>) {
    const hold = point.holdNext();
    const outcome = outcomeOf(call);
    await Promise.race([
      hold.reached,
      outcome.then((early) => Promise.reject(new Error(`was not held: ${early}`))),
    ]);
    await meanwhile();
    clock.advance(1);
    hold.release();
    return outcome;
  }

  const sessionsOf = (userId: string) => adapter().sessions.listLive(userId, new Date(clock.now()));

  return { makeSlow, signedUp, during, sessionsOf, adapter, person };
}
