/** Sign-ins with a valid proof that are overtaken by a revocation before they have a session. */
import { softwareAuthenticator } from 'svc-auth/testing';
import type { Service, SignInResult } from 'svc-auth';
import { codeAt } from '../../../support/authenticator-app.js';
import { pausableAdapter } from '../../../support/pause-points.js';
import { claims, endings, password, startSession, step, type Person, type Slow } from './slow-service.js';
import { phoneSequence } from '../../../support/site-actions.js';

/** A sign-in up to its proof, and the storage call at which it is delayed. `prepare` does what comes before. */
interface SlowSignIn {
  heldAfter: string;
  /** Whether it verifies an address, which creates a new user if no account has that address any more. */
  verifiesMailbox?: true;
  prepare: (person: Person) => Promise<(service: Service) => Promise<SignInResult>>;
}

const phone = phoneSequence();

const signIns: Record<string, SlowSignIn> = {
  'by email code': {
    heldAfter: 'oneTimeCodes.attempt',
    verifiesMailbox: true,
    async prepare({ test: { service, mail }, email }) {
      await service.emailCode.sendCode({ email });
      const code = mail.lastCode(email)!;
      return ({ emailCode }) => emailCode.verify({ email, code }, startSession);
    },
  },
  'by magic link': {
    heldAfter: 'singleUseTokens.consume',
    verifiesMailbox: true,
    async prepare({ test: { service, mail }, email }) {
      await service.magicLink.sendLink({ email });
      const token = new URL(mail.lastLink(email)!).searchParams.get('token')!;
      return ({ magicLink }) => magicLink.verify(token, startSession);
    },
  },
  'by passkey': {
    heldAfter: 'credentials.use',
    async prepare({ test: { service }, userId }) {
      const authenticator = softwareAuthenticator();
      const begun = await service.webauthn.startRegistration(userId);
      const created = authenticator.create(begun.options);
      await service.webauthn.finishRegistration({
        userId,
        response: created,
        expectedChallenge: begun.challenge,
      });
      const { options, challenge } = await service.webauthn.startAuthentication();
      const input = { response: authenticator.get(options), expectedChallenge: challenge };
      return ({ webauthn }) => webauthn.finishAuthentication(input, startSession);
    },
  },
  'by second factor': {
    heldAfter: 'totp.advance',
    async prepare({ test: { service, clock }, userId, email }) {
      const { secret } = await service.totp.beginEnrollment(userId);
      await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
      clock.advance(step);
      const { pending } = await service.emailPassword.login({ email, password }, startSession);
      const input = { token: pending!.token, code: codeAt(secret, clock.now()) };
      return ({ totp }) => totp.finishSignIn(input, startSession);
    },
  },
};

const endingsThatFreeTheAddress = ['a change of email address', 'an account deletion'];

export function signInsOvertaken({ makeSlow, signUp, during, sessionsOf, adapter, person }: Slow): void {
  describe.each(Object.entries(signIns))('sign-in %s', (_way, { heldAfter, verifiesMailbox, prepare }) => {
    it.each([
      'a password reset',
      'a sign-out everywhere',
      'a change of email address',
      'an account deletion',
    ])('starts no session in the account after %s', async (name) => {
      const { adapter: delayedAdapter, point } = pausableAdapter(adapter(), heldAfter, 'after');
      const test = await makeSlow(delayedAdapter);
      const person = await signUp(test, true);
      const signIn = await prepare(person);
      const users: string[] = [];
      const call = async () => void users.push((await signIn(test.service)).user.id);
      const outcome = await during(point, call, () => endings[name]!(person));
      // The owner of the mailbox then signs up, as with any address that no account has.
      const isFree = verifiesMailbox && endingsThatFreeTheAddress.includes(name);
      expect(outcome).toBe(isFree ? 'ok' : 'token_invalid');
      expect(users).not.toContain(person.userId);
      expect(await sessionsOf(person.userId)).toEqual([]);
    });
  });

  it.each([
    { way: 'verifies the address in a session of the account', path: 'users.markEmailVerified', isOwn: true },
    { way: 'claims the account', path: 'users.claim', isOwn: false },
  ])('rejects a sign-in that $way if a sign-out everywhere overtakes it', async ({ path, isOwn }) => {
    const { adapter: delayedAdapter, point } = pausableAdapter(adapter(), path, 'before');
    const test = await makeSlow(delayedAdapter);
    const person = await signUp(test, false);
    const { email, userId } = person;
    const { token } = await test.service.sessionsProvider.create({ userId });
    const context = { ...startSession, ...(isOwn && { sessionToken: token }) };
    await test.service.emailCode.sendCode({ email });
    const input = { email, code: test.mail.lastCode(email)! };
    const end = () => endings['a sign-out everywhere']!(person);
    expect(await during(point, () => test.service.emailCode.verify(input, context), end)).toBe(
      'token_invalid',
    );
    expect(await sessionsOf(userId)).toEqual([]);
  });

  it('returns email_exists for a signup if the owner of the mailbox signs in by code in the meantime', async () => {
    const test = await makeSlow();
    const email = person();
    const signup = () => test.service.emailPassword.signup({ email, password }, startSession);
    const owner = () => claims['a claim by email code']!({ test, email, userId: '' });
    expect(await during(test.point, signup, owner)).toBe('email_exists');
    expect(await adapter().users.findByEmail(email)).toMatchObject({
      passwordHash: null,
      emailVerified: true,
    });
  });

  it('rejects a phone sign-in if a sign-out everywhere overtakes it', async () => {
    const { adapter: delayedAdapter, point } = pausableAdapter(adapter(), 'oneTimeCodes.attempt', 'after');
    const test = await makeSlow(delayedAdapter);
    const number = phone();
    const requestCode = async () => {
      await test.service.phoneOtp.sendCode({ phone: number });
      return { phone: number, code: test.texts.lastCode(number)! };
    };
    const { user } = await test.service.phoneOtp.verify(await requestCode());
    const input = await requestCode();
    const verify = () => test.service.phoneOtp.verify(input, startSession);
    const end = () => test.service.sessionsProvider.revokeAll(user.id);
    expect(await during(point, verify, end)).toBe('token_invalid');
    expect(await sessionsOf(user.id)).toEqual([]);
  });
}
