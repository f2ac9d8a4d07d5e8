// A passkey as the second factor after another method, and whether a passkey alone counts as two (docs/decisions/passkeys.md, A-16).
import type { SignInResult } from 'svc-auth';
import { softwareAuthenticator, type SoftwareAuthenticator, type TamperOptions } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute, type ProService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { passkeyFixtures, tamperedFields } from '../support/passkeys.js';
import { readToken, totpStepMs } from '../support/site-actions.js';

const usedTwoFactors = ({ session }: SignInResult) =>
  JSON.stringify(readToken(session!.token)['amr'] ?? []).includes('mfa');

describeAdapters('A passkey as the second factor', (on) => {
  const { makePasskeys, verifiedUser, unverifiedUser, register, signIn } = passkeyFixtures(on);

  async function enroll({ service, clock }: ProService, userId: string): Promise<void> {
    const { secret } = await service.totp.beginEnrollment(userId);
    await service.totp.confirmEnrollment(userId, codeAt(secret, clock.now()));
    clock.advance(totpStepMs);
  }

  /** A user with an authenticator app and a passkey. */
  async function strongUser(test: ProService, authenticator = softwareAuthenticator()) {
    const user = await verifiedUser(test);
    await register({ test, user, authenticator });
    await enroll(test, user.id);
    await test.takeEvents();
    return { test, user, authenticator };
  }

  const makeStrong = (webauthn: Parameters<typeof makePasskeys>[0] = {}) =>
    makePasskeys({ secondFactor: true, ...webauthn }, { rateLimit: { maxPerWindow: 100 } });

  /** The pending sign-in after the first step, an email code. */
  async function firstStep({ service, mail }: ProService, email: string) {
    await service.emailCode.sendCode({ email });
    const result = await service.emailCode.verify(
      { email, code: mail.lastCode(email)! },
      { startSession: true },
    );
    return result.pending!;
  }

  async function respond(
    test: ProService,
    token: string,
    authenticator: SoftwareAuthenticator,
    tampering: TamperOptions = {},
  ) {
    const { options, challenge } = await test.service.webauthn.startSecondFactor({ token });
    // As an attacker's own client, which ignores the list of allowed passkeys.
    const response = authenticator.get({ ...options, allowCredentials: [] }, tampering);
    return { token, response, expectedChallenge: challenge };
  }

  //
  it('completes a sign-in with a touch, without user verification', async () => {
    const { test, user, authenticator } = await strongUser(await makeStrong());
    const { webauthn } = test.service;
    const pending = await firstStep(test, user.email!);
    expect(pending.methods).toEqual(['totp', 'passkey', 'recovery']);
    const { options } = await webauthn.startSecondFactor({ token: pending.token });
    expect(options.userVerification).toBe('discouraged');
    expect(options.allowCredentials?.map(({ id }) => id)).toEqual([authenticator.credentials[0]!.id]);
    const input = await respond(test, pending.token, authenticator, { userVerified: false });
    const result = await webauthn.finishSecondFactor(input, { startSession: true, ip: '203.0.113.7' });
    expect([result.user.id, usedTwoFactors(result)]).toEqual([user.id, true]);
    const [passkey] = await webauthn.listCredentials(user.id);
    expect(passkey).toMatchObject({ lastUsedFrom: { ip: '203.0.113.7' }, counter: 2 });
  });

  it('needs no user verification as the second step, also if sign-ins require it', async () => {
    const { test, user, authenticator } = await strongUser(
      await makeStrong({ userVerification: 'required' }),
    );
    const { token } = await firstStep(test, user.email!);
    const input = await respond(test, token, authenticator, { userVerified: false });
    expect(await outcomeOf(() => test.service.webauthn.finishSecondFactor(input))).toBe('ok');
    const touch = () => signIn({ test, authenticator }, undefined, { userVerified: false });
    expect(await outcomeOf(touch)).toBe('token_invalid');
  });

  it('forgets the session with the browser if the first or the second step asked for that', async () => {
    const { test, user, authenticator } = await strongUser(await makeStrong());
    const { emailCode, webauthn } = test.service;
    const email = user.email!;
    for (const [first, second, isForgotten] of [
      [false, undefined, true],
      [undefined, false, true],
      [undefined, undefined, false],
    ] as const) {
      await emailCode.sendCode({ email });
      const choice = { startSession: true, ...(first === false && { remember: first }) };
      const { pending } = await emailCode.verify({ email, code: test.mail.lastCode(email)! }, choice);
      const input = await respond(test, pending!.token, authenticator);
      const context = { startSession: true, ...(second === false && { remember: second }) };
      const { session } = await webauthn.finishSecondFactor(input, context);
      expect(readToken(session!.token)['remember'] === false).toBe(isForgotten);
    }
  });

  //
  it('refuses the passkey of another user, with or without the handle of the first', async () => {
    const { test, user } = await strongUser(await makeStrong());
    const attacker = await strongUser(test);
    const handle = Buffer.from(user.id).toString('base64url');
    for (const tampering of [{}, { userHandle: null }, { userHandle: handle }]) {
      const { token } = await firstStep(test, user.email!);
      const input = await respond(test, token, attacker.authenticator, tampering);
      expect(await outcomeOf(() => test.service.webauthn.finishSecondFactor(input))).toBe('token_invalid');
    }
    expect(await test.service.sessionsProvider.listDevices(user.id)).toEqual([]);
  });

  //
  it('accepts an empty user handle, as security keys have it in Safari, with the passkey of the user alone', async () => {
    const { test, user, authenticator } = await strongUser(await makeStrong());
    const attacker = await strongUser(test);
    for (const [passkey, outcome] of [
      [attacker.authenticator, 'token_invalid'],
      [authenticator, 'ok'],
    ] as const) {
      const { token } = await firstStep(test, user.email!);
      const input = await respond(test, token, passkey, { userHandle: '' });
      expect(await outcomeOf(() => test.service.webauthn.finishSecondFactor(input))).toBe(outcome);
    }
  });

  it.each(tamperedFields)('refuses %s', async (_name, tampering) => {
    const { test, user, authenticator } = await strongUser(await makeStrong());
    const { token } = await firstStep(test, user.email!);
    const input = await respond(test, token, authenticator, tampering);
    expect(await outcomeOf(() => test.service.webauthn.finishSecondFactor(input))).toBe('token_invalid');
  });

  //
  it('is bound to one pending sign-in, one challenge and one ceremony', async () => {
    const { test, user, authenticator } = await strongUser(await makeStrong());
    const { webauthn } = test.service;
    const [mine, theirs] = [await firstStep(test, user.email!), await firstStep(test, user.email!)];
    // A response that the user gave in another browser, for example on a page of an attacker's proxy.
    const elsewhere = await respond(test, theirs.token, authenticator);
    const stolen = { ...elsewhere, token: mine.token };
    expect(await outcomeOf(() => webauthn.finishSecondFactor(stolen))).toBe('token_invalid');
    const { options, challenge } = await webauthn.startAuthentication(user.id);
    const ofSignIn = {
      token: mine.token,
      response: authenticator.get(options),
      expectedChallenge: challenge,
    };
    expect(await outcomeOf(() => webauthn.finishSecondFactor(ofSignIn))).toBe('token_invalid');
    // The reverse: a touch for the second step must not sign in alone.
    const { token: _, ...ofSecondStep } = await respond(test, mine.token, authenticator);
    expect(await outcomeOf(() => webauthn.finishAuthentication(ofSecondStep))).toBe('token_invalid');
    const input = await respond(test, mine.token, authenticator);
    expect(await outcomeOf(() => webauthn.finishSecondFactor(input))).toBe('ok');
    expect(await outcomeOf(() => webauthn.finishSecondFactor(input))).toBe('token_invalid');
    const again = () =>
      respond(test, mine.token, authenticator).then(webauthn.finishSecondFactor.bind(webauthn));
    expect(await outcomeOf(again)).toBe('token_invalid');
  });

  it('completes a pending sign-in once with 50 concurrent responses to several challenges', async () => {
    const { test, user, authenticator } = await strongUser(
      await makeStrong(),
      softwareAuthenticator({ counter: 0 }),
    );
    const { token } = await firstStep(test, user.email!);
    const inputs: Awaited<ReturnType<typeof respond>>[] = [];
    for (let i = 0; i < 10; i += 1) inputs.push(await respond(test, token, authenticator));
    const finish = (index: number) =>
      test.service.webauthn.finishSecondFactor(inputs[index % 10]!, { startSession: true });
    expect(await race(50, finish)).toEqual({ ok: 1, token_invalid: 49 });
    expect(await test.service.sessionsProvider.listDevices(user.id)).toHaveLength(1);
  });

  it('ends with the pending sign-in: after five minutes, and after a sign-out everywhere', async () => {
    const { test, user, authenticator } = await strongUser(await makeStrong());
    const late = await firstStep(test, user.email!);
    test.clock.advance(5 * minute);
    const start = () => test.service.webauthn.startSecondFactor({ token: late.token });
    expect(await outcomeOf(start)).toBe('token_invalid');
    const { token } = await firstStep(test, user.email!);
    const input = await respond(test, token, authenticator);
    await test.service.sessionsProvider.revokeAll(user.id);
    expect(await outcomeOf(() => test.service.webauthn.finishSecondFactor(input))).toBe('token_invalid');
  });

  it('is not offered without secondFactor, without a passkey, or after a passkey', async () => {
    const unavailable = { code: 'not_authorized', reason: 'second_factor_unavailable' };
    const off = await strongUser(await makePasskeys());
    const pending = await firstStep(off.test, off.user.email!);
    expect(pending.methods).toEqual(['totp', 'recovery']);
    const start = (test: ProService, token: string) => () =>
      test.service.webauthn.startSecondFactor({ token });
    expect(await errorOf(start(off.test, pending.token))).toMatchObject(unavailable);
    const test = await makeStrong();
    const bare = await verifiedUser(test);
    await enroll(test, bare.id);
    const { token } = await firstStep(test, bare.email!);
    expect(await errorOf(start(test, token))).toMatchObject(unavailable);
    // One key is one factor, however often it is touched.
    const { user, authenticator } = await strongUser(test);
    const touched = await signIn({ test, authenticator }, undefined, { userVerified: false });
    expect([touched.pending!.methods, touched.user.id]).toEqual([['totp', 'recovery'], user.id]);
    expect(await errorOf(start(test, touched.pending!.token))).toMatchObject(unavailable);
  });

  it('is not offered after a sign-up with a passkey that reclaims the account of the own session', async () => {
    const made: { test?: ProService } = {};
    const sender = { send: async (message: never) => made.test!.mail.send(message) };
    const test = await makeStrong({ signUp: { address: 'verified', sender } });
    made.test = test;
    const { webauthn } = test.service;
    const user = await unverifiedUser(test);
    await enroll(test, user.id);
    const email = user.email!;
    await webauthn.sendSignUpCode({ email });
    const { options, challenge } = await webauthn.startSignUp({ email, code: test.mail.lastCode(email)! });
    const response = softwareAuthenticator().create(options, { userVerified: false });
    const { token: sessionToken } = test.service.createSessionToken(user.id);
    const context = { startSession: true, sessionToken };
    const { pending } = await webauthn.finishSignUp({ response, expectedChallenge: challenge }, context);
    expect(pending!.methods).toEqual(['totp', 'recovery']);
  });

  it('limits the challenges that a pending sign-in can request', async () => {
    const { test, user } = await strongUser(await makeStrong());
    const { token } = await firstStep(test, user.email!);
    const start = () => test.service.webauthn.startSecondFactor({ token });
    expect(await race(31, start)).toEqual({ ok: 30, rate_limit_exceeded: 1 });
  });

  //
  it('a passkey alone is two factors only with user verification, unless countsAsTwoFactors is false', async () => {
    for (const [countsAsTwoFactors, userVerified, isEnough] of [
      [true, true, true],
      [true, false, false],
      [false, true, false],
      [false, false, false],
    ] as const) {
      const { test, authenticator } = await strongUser(await makeStrong({ countsAsTwoFactors }));
      const result = await signIn({ test, authenticator }, undefined, { userVerified });
      expect([countsAsTwoFactors, userVerified, result.session !== undefined]).toEqual([
        countsAsTwoFactors,
        userVerified,
        isEnough,
      ]);
      if (isEnough) expect(usedTwoFactors(result)).toBe(true);
      else expect(result.pending).toBeDefined();
    }
  });

  it('a signature over another flag does not count: the authenticator signs user verification', async () => {
    const { test, authenticator } = await strongUser(await makeStrong());
    const { options, challenge } = await test.service.webauthn.startAuthentication();
    const response = authenticator.get(options, { userVerified: false });
    const data = Buffer.from(response.response.authenticatorData, 'base64url');
    data[32]! |= 0b100;
    const forged = { ...response.response, authenticatorData: data.toString('base64url') };
    const input = { response: { ...response, response: forged }, expectedChallenge: challenge };
    const outcome = await outcomeOf(() => test.service.webauthn.finishAuthentication(input));
    expect(outcome).toBe('token_invalid');
  });
});
