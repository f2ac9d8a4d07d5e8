// Users with an enrolled authenticator app, for the tests of the second factor.
import type { ServiceUser } from 'svc-auth';
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import type { StorageContext } from '../support/describe-adapters.js';
import type { Overrides } from '../support/make-service.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';

export const second = 1000;
export const step = 30 * second;
export const recoveryCode = /^[A-Z2-7]{5}-[A-Z2-7]{5}$/;

/**
 * Values of the wrong type or length: refused with invalid_request, never a failure of the service.
 */
export const oddCodes: unknown[] = [
  undefined,
  null,
  42,
  123456,
  true,
  {},
  [],
  ['123456'],
  '',
  '   ',
  '1'.repeat(65),
];

export interface EnrolledUser {
  test: ProService;
  user: ServiceUser;
  secret: string;
  recoveryCodes: string[];
}

export function totpUsers({ make, uniqueEmail }: Pick<StorageContext, 'make' | 'uniqueEmail'>) {
  const users = proFixtures({ make, uniqueEmail });
  const { makePro, verifiedUser } = users;
  const makeTotp = ({ providers, ...overrides }: Overrides = {}) =>
    makePro({ encryptionKey, ...overrides, providers: { totp: true, ...providers } });

  /** Enrolls an authenticator app for the user, and waits until the step of its code is over. */
  async function enroll(test: ProService, user: ServiceUser): Promise<EnrolledUser> {
    const { secret } = await test.service.totp.beginEnrollment(user.id);
    const code = codeAt(secret, test.clock.now());
    const { recoveryCodes } = await test.service.totp.confirmEnrollment(user.id, code);
    test.clock.advance(step);
    await test.takeEvents();
    return { test, user, secret, recoveryCodes };
  }
  async function enrolledUser(overrides: Overrides = {}): Promise<EnrolledUser> {
    const test = await makeTotp(overrides);
    return enroll(test, await verifiedUser(test));
  }

  const verify = ({ test, user }: EnrolledUser, code: unknown) =>
    test.service.totp.verify(user.id, code as string);
  const recover = ({ test, user }: EnrolledUser, code: unknown) =>
    test.service.totp.verifyRecoveryCode(user.id, code as string);
  const rightCode = ({ test, secret }: EnrolledUser, offset = 0) => codeAt(secret, test.clock.now() + offset);
  const wrongCode = ({ test, secret }: EnrolledUser) => wrongCodeAt(secret, test.clock.now());

  /** Completes the first factor of a sign-in. */
  async function pendingSignIn({ test, user }: EnrolledUser) {
    const email = user.email!;
    await test.service.emailCode.sendCode({ email });
    const code = test.mail.lastCode(email)!;
    return test.service.emailCode.verify({ email, code }, { startSession: true });
  }

  return { ...users, makeTotp, enroll, enrolledUser, verify, recover, rightCode, wrongCode, pendingSignIn };
}
