/** Sign-ins whose proof was right, and that are overtaken before they have a session. */
import { softwareAuthenticator } from 'svc-auth/testing';
import type { Service, SignInResult } from 'svc-auth';
import { codeAt } from '../../../support/authenticator-app.js';
import { heldAdapter } from '../../../support/held.js';
import { claims, endings, password, startSession, step, type Person, type Slow } from './slow-service.js';
import { phoneNumbers } from '../../../support/people.js';

/** A sign-in whose proof is shown, and where it is held. `prepare` is what comes before. */
interface SlowSignIn {
  heldAfter: string;
  /** Proves an address, which makes a new user where it is nobody's any more. */
  ofMailbox?: true;
  prepare: (person: Person) => Promise<(service: Service) => Promise<SignInResult>>;
}

const phone = phoneNumbers();

const signIns: Record<string, SlowSignIn> = {
  'by code': {
    heldAfter: 'oneTimeCodes.consume',
    ofMailbox: true,
    async prepare({ test: { service, mail }, email }) {
      await service.emailCode.sendCode({ email });
      const code = mail.lastCode(email)!;
      return ({ emailCode }) => emailCode.verify({ email, code }, startSession);
    },
  },
  'by link': {
    heldAfter: 'singleUseTokens.consume',
    ofMailbox: true,
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
  'by the second of two factors': {
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

const endingsOfAnAddress = ['another address', 'the deletion of the account'];

export function signInsOvertaken({ makeSlow, signedUp, during, sessionsOf, adapter, person }: Slow): void {
  describe.each(Object.entries(signIns))('A sign-in %s', (_way, { heldAfter, ofMailbox, prepare }) => {
    it.each(['a reset', 'a sign-out everywhere', 'another address', 'the deletion of the account'])(
      'that %s overtakes is none',
      async (name) => {
        const { adapter: held, point } = heldAdapter(adapter(), heldAfter, 'after');
        const test = await makeSlow(held);
        const someone = await signedUp(test, true);
        const signIn = await prepare(someone);
        const users: string[] = [];
        const call = async () => void users.push((await signIn(test.service)).user.id);
        const outcome = await during(point, call, () => endings[name]!(someone));
        // Whose mailbox it is signs up then, as anybody with an address that no account has.
        const isFree = ofMailbox && endingsOfAnAddress.includes(name);
        expect(outcome).toBe(isFree ? 'ok' : 'token_invalid');
        expect(users).not.toContain(someone.userId);
        expect(await sessionsOf(someone.userId)).toEqual([]);
      },
    );
  });

  it.each([
    { way: 'confirms the address in a session of the account', path: 'users.markEmailVerified', isOwn: true },
    { way: 'claims the account', path: 'users.claim', isOwn: false },
  ])('that $way is none where a sign-out everywhere overtakes it', async ({ path, isOwn }) => {
    const { adapter: held, point } = heldAdapter(adapter(), path, 'before');
    const test = await makeSlow(held);
    const someone = await signedUp(test, false);
    const { email, userId } = someone;
    const { token } = await test.service.sessionsProvider.create({ userId });
    const context = { ...startSession, ...(isOwn && { sessionToken: token }) };
    await test.service.emailCode.sendCode({ email });
    const input = { email, code: test.mail.lastCode(email)! };
    const end = () => endings['a sign-out everywhere']!(someone);
    expect(await during(point, () => test.service.emailCode.verify(input, context), end)).toBe(
      'token_invalid',
    );
    expect(await sessionsOf(userId)).toEqual([]);
  });

  it('of two first passwords the later one is refused: the address has an account by then', async () => {
    const test = await makeSlow();
    const email = person();
    const signup = () => test.service.emailPassword.signup({ email, password }, startSession);
    const owner = () => claims['a claim by code']!({ test, email, userId: '' });
    expect(await during(test.point, signup, owner)).toBe('email_exists');
    expect(await adapter().users.findByEmail(email)).toMatchObject({
      passwordHash: null,
      emailVerified: true,
    });
  });

  it('is no phone sign-in that a sign-out everywhere overtakes', async () => {
    const { adapter: held, point } = heldAdapter(adapter(), 'oneTimeCodes.consume', 'after');
    const test = await makeSlow(held);
    const number = phone();
    const texted = async () => {
      await test.service.phoneOtp.sendCode({ phone: number });
      return { phone: number, code: test.texts.lastCode(number)! };
    };
    const { user } = await test.service.phoneOtp.verify(await texted());
    const input = await texted();
    const verify = () => test.service.phoneOtp.verify(input, startSession);
    const end = () => test.service.sessionsProvider.revokeAll(user.id);
    expect(await during(point, verify, end)).toBe('token_invalid');
    expect(await sessionsOf(user.id)).toEqual([]);
  });
}
