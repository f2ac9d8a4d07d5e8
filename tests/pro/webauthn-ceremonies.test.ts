// Registration and sign-in with passkeys (specification 4.3 `webauthn`;
// docs/security-requirements.md, C-22). What they refuse is in webauthn-tampering.test.ts.
import { TOTP } from 'otpauth';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { minute, unknownId, invalidIds } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { origins, passkeyFixtures, rpId, type PasskeyUser } from '../support/passkeys.js';

describeAdapters('Passkeys', (on) => {
  const { adapter } = on;
  const { makePasskeys, verifiedUser, userWithoutAddress, register, signIn } = passkeyFixtures(on);
  const { passkeyUser, registeredUser, signInOutcome, registerOutcome, storedTraces } = passkeyFixtures(on);
  const { beginRegistration, beginSignIn } = passkeyFixtures(on);

  const enableTotp = async ({ test, user }: PasskeyUser) => {
    const { secret } = await test.service.totp.beginEnrollment(user.id);
    const code = new TOTP({ secret }).generate({ timestamp: test.clock.now() });
    await test.service.totp.confirmEnrollment(user.id, code);
  };

  describe('registration and sign-in', () => {
    //
    it.each(['ES256', 'EdDSA'] as const)('succeed with an %s key', async (algorithm) => {
      const passkeyHolder = await passkeyUser({ algorithm, flags: { backupEligible: true } });
      const { test, user } = passkeyHolder;
      await test.takeEvents();
      const credential = await register(passkeyHolder);
      expect(credential).toEqual({
        id: passkeyHolder.authenticator.credentials[0]!.id,
        userId: user.id,
        counter: 1,
        transports: ['internal'],
        backupEligible: true,
        backedUp: false,
        aaguid: '00000000-0000-0000-0000-000000000000',
        name: 'Passkey',
        lastUsedFrom: null,
        createdAt: new Date(test.clock.now()),
        lastUsedAt: null,
      });
      test.clock.advance(minute);
      const { session, ...result } = await signIn(passkeyHolder, undefined, { backedUp: true });
      expect(result).toEqual({ user, created: false, method: 'passkey' });
      expect(await test.service.getSessionUser(session!.token)).toEqual(user);
      expect(await test.service.webauthn.listCredentials(user.id)).toEqual([
        { ...credential, counter: 2, backedUp: true, lastUsedAt: new Date(test.clock.now()) },
      ]);
      const about = { userId: user.id, credentialId: credential.id };
      expect(await test.takeEvents()).toEqual([
        { name: 'passkey.registered', payload: about },
        {
          name: 'session.created',
          payload: { userId: user.id, sessionId: session!.session.id, method: 'passkey' },
        },
      ]);
    });

    it('returns no session without startSession', async () => {
      const passkeyHolder = await registeredUser();
      expect(await signIn(passkeyHolder, passkeyHolder.user.id, {}, (answer) => answer, {})).toEqual({
        user: passkeyHolder.user,
        created: false,
        method: 'passkey',
      });
      expect((await storedTraces(passkeyHolder.user.id)).sessions).toBe(0);
    });

    it('follows changes of the backup state, and allows any number of sign-ins without a counter', async () => {
      const passkeyHolder = await registeredUser({
        counter: 0,
        flags: { backupEligible: true, backedUp: true },
      });
      for (const backedUp of [false, true, false]) {
        expect(await signInOutcome(passkeyHolder, passkeyHolder.user.id, { backedUp })).toBe('ok');
        const [credential] = await passkeyHolder.test.service.webauthn.listCredentials(passkeyHolder.user.id);
        expect(credential).toMatchObject({ backedUp, backupEligible: true, counter: 0 });
      }
    });

    it('accepts every configured origin, and an Android app by its certificate', async () => {
      const app = `android:apk-key-hash:${'A'.repeat(43)}`;
      const test = await makePasskeys({ origins: [...origins, app] });
      for (const origin of [...origins, app]) {
        expect(await signInOutcome(await registeredUser({ origin }, test))).toBe('ok');
      }
    });

    it('ends the session that a new one replaces', async () => {
      const passkeyHolder = await registeredUser();
      const { session } = await signIn(passkeyHolder);
      const context = { startSession: true, sessionToken: session!.token };
      await signIn(passkeyHolder, undefined, {}, (answer) => answer, context);
      expect(await outcomeOf(() => passkeyHolder.test.service.getSessionUser(session!.token))).toBe(
        'token_invalid',
      );
    });

    it('stores well-formed transports only', async () => {
      const passkeyHolder = await passkeyUser();
      const transports = [
        'usb',
        7,
        'x'.repeat(33),
        'UPPER',
        '',
        null,
        'nfc',
        'nul\0',
        ...Array(20).fill('ble'),
      ];
      const credential = await register(passkeyHolder, {}, (answer) => ({
        ...answer,
        response: { ...answer.response, transports },
      }));
      expect(credential.transports).toEqual(['usb', 'nfc', 'ble', 'ble', 'ble', 'ble', 'ble', 'ble']);
      for (const none of [undefined, null, 'usb', 7, {}]) {
        const other = await register(
          { ...passkeyHolder, authenticator: softwareAuthenticator() },
          {},
          (answer) => ({
            ...answer,
            response: { ...answer.response, transports: none },
          }),
        );
        expect(other.transports).toEqual([]);
      }
    });
  });

  describe('the options of a ceremony', () => {
    // C-22
    it('follows the policy in the options of a registration', async () => {
      const { test, user, credential } = await registeredUser();
      const { options, challenge } = await test.service.webauthn.startRegistration(user.id);
      expect(options).toEqual({
        challenge,
        rp: { id: rpId, name: 'Acme' },
        user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: '' },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
        timeout: 60_000,
        attestation: 'none',
        excludeCredentials: [{ id: credential.id, type: 'public-key', transports: ['internal'] }],
        authenticatorSelection: {
          residentKey: 'preferred',
          requireResidentKey: false,
          userVerification: 'preferred',
        },
        extensions: { credProps: true },
        hints: [],
      });
      expect(Buffer.from(challenge, 'base64url')).toHaveLength(32);
    });

    // C-22
    it('follows the policy in the options of a sign-in, and reveals no user when none is named', async () => {
      const { test, user, credential } = await registeredUser();
      const { options, challenge } = await test.service.webauthn.startAuthentication(user.id);
      const common = { rpId, timeout: 60_000, userVerification: 'preferred' };
      expect(options).toEqual({
        ...common,
        challenge,
        allowCredentials: [{ id: credential.id, type: 'public-key', transports: ['internal'] }],
      });
      const open = await test.service.webauthn.startAuthentication();
      expect(open.options).toEqual({ ...common, challenge: open.challenge, allowCredentials: [] });
      expect(open.challenge).not.toBe(challenge);
    });

    it.each(['required', 'preferred', 'discouraged'] as const)(
      'request user verification: %s',
      async (userVerification) => {
        const test = await makePasskeys({
          userVerification: userVerification,
          rpName: ' Acme Inc. ',
          timeoutMs: 5000,
        });
        const user = await verifiedUser(test);
        const { options } = await test.service.webauthn.startRegistration(user.id);
        expect(options).toMatchObject({
          rp: { id: rpId, name: 'Acme Inc.' },
          timeout: 5000,
          authenticatorSelection: { userVerification: userVerification },
        });
        const { options: request } = await test.service.webauthn.startAuthentication();
        expect(request).toMatchObject({ timeout: 5000, userVerification: userVerification });
      },
    );

    it('names a user without an address by the id', async () => {
      const test = await makePasskeys();
      const user = await userWithoutAddress(test);
      const { options } = await test.service.webauthn.startRegistration(user.id);
      expect(options.user.name).toBe(user.id);
    });

    it('rejects a guest, whose passkey would outlive the upgrade', async () => {
      const passkeyHolder = await passkeyUser();
      const { webauthn, sessionsProvider } = passkeyHolder.test.service;
      const { user } = await sessionsProvider.createGuest();
      expect(await outcomeOf(() => webauthn.startRegistration(user.id))).toBe('not_authorized');
      const registration = { ...(await beginRegistration(passkeyHolder)), userId: user.id };
      expect(await outcomeOf(() => webauthn.finishRegistration(registration))).toBe('not_authorized');
      expect((await storedTraces(user.id)).credentials).toEqual([]);
    });
  });

  it('rejects a response with an oversized id before any query', async () => {
    const calls: string[] = [];
    const test = await makePasskeys({}, { adapter: recordCalls(adapter(), calls) });
    const passkeyHolder = await registeredUser({}, test);
    const { response, expectedChallenge } = await beginSignIn(passkeyHolder);
    const lookUps = () => calls.filter((name) => name === 'credentials.findWithUser').length;
    calls.length = 0;
    const finish = (id: string) =>
      test.service.webauthn.finishAuthentication({
        response: { ...response, id, rawId: id },
        expectedChallenge,
      });
    expect(await outcomeOf(() => finish('A'.repeat(1365)))).toBe('token_invalid');
    expect(lookUps()).toBe(0);
    await expect(
      test.service.webauthn.removeCredential(passkeyHolder.user.id, 'A'.repeat(1365)),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(calls).not.toContain('credentials.remove');
  });

  it('limits a user to thirty registrations in 15 minutes, independent of other users', async () => {
    const test = await makePasskeys();
    const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
    const start = (id: string) => outcomeOf(() => test.service.webauthn.startRegistration(id));
    for (let i = 0; i < 30; i += 1) expect(await start(user.id)).toBe('ok');
    expect(await start(user.id)).toBe('rate_limit_exceeded');
    expect(await start(other.id)).toBe('ok');
    test.clock.advance(15 * minute);
    expect(await start(user.id)).toBe('ok');
  });

  describe('a passkey', () => {
    //
    it('rejects a registered passkey with invalid_request, for its user and for another', async () => {
      const passkeyHolder = await registeredUser();
      const other = await passkeyUser({}, passkeyHolder.test);
      const overrides = { credentialId: passkeyHolder.credential.id };
      const before = await storedTraces(passkeyHolder.user.id);
      expect(await registerOutcome(passkeyHolder, overrides)).toBe('invalid_request');
      expect(await registerOutcome(other, overrides)).toBe('invalid_request');
      expect(await storedTraces(passkeyHolder.user.id)).toEqual(before);
      expect((await storedTraces(other.user.id)).credentials).toEqual([]);
    });

    //
    it('a passkey is listed to its user only, oldest first, without its public key', async () => {
      const passkeyHolder = await passkeyUser();
      const other = await registeredUser({}, passkeyHolder.test);
      const ids: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        ids.push((await register({ ...passkeyHolder, authenticator: softwareAuthenticator() })).id);
        passkeyHolder.test.clock.advance(1);
      }
      const credentials = await passkeyHolder.test.service.webauthn.listCredentials(passkeyHolder.user.id);
      expect(credentials.map(({ id }) => id)).toEqual(ids);
      for (const each of [...credentials, other.credential]) expect(each).not.toHaveProperty('publicKey');
      expect((await storedTraces(passkeyHolder.user.id)).credentials[0]!.publicKey).toMatch(/^[\w-]{50,}$/);
    });

    it('a passkey is removed by its own user only, and cannot sign in afterwards', async () => {
      const passkeyHolder = await registeredUser();
      const other = await registeredUser({}, passkeyHolder.test);
      const { webauthn } = passkeyHolder.test.service;
      const open = await beginSignIn(passkeyHolder);
      for (const id of [other.credential.id, ...invalidIds]) {
        expect([
          id,
          await outcomeOf(() => webauthn.removeCredential(passkeyHolder.user.id, id as string)),
        ]).toEqual([id, 'invalid_request']);
      }
      expect(await passkeyHolder.test.takeEvents()).toEqual([]);
      await webauthn.removeCredential(passkeyHolder.user.id, passkeyHolder.credential.id);
      expect(await passkeyHolder.test.takeEvents()).toEqual([
        {
          name: 'passkey.removed',
          payload: { userId: passkeyHolder.user.id, credentialId: passkeyHolder.credential.id },
        },
      ]);
      expect(
        await outcomeOf(() => webauthn.removeCredential(passkeyHolder.user.id, passkeyHolder.credential.id)),
      ).toBe('invalid_request');
      expect(await outcomeOf(() => webauthn.finishAuthentication(open))).toBe('token_invalid');
      expect(await signInOutcome(other)).toBe('ok');
      // It can be registered again, also by another user.
      expect(
        await registerOutcome(
          { ...other, authenticator: passkeyHolder.authenticator },
          { credentialId: passkeyHolder.credential.id },
        ),
      ).toBe('ok');
    });

    it('rejects an unknown user with user_not_found', async () => {
      const { test, credential } = await registeredUser();
      const { webauthn } = test.service;
      const registration = { response: {} as never, expectedChallenge: 'x' };
      for (const id of invalidIds as string[]) {
        const calls = [
          () => webauthn.startRegistration(id),
          () => webauthn.finishRegistration({ ...registration, userId: id }),
          () => webauthn.listCredentials(id),
          () => webauthn.removeCredential(id, credential.id),
          ...(id === undefined ? [] : [() => webauthn.startAuthentication(id)]),
        ];
        for (const call of calls) expect([id, await outcomeOf(call)]).toEqual([id, 'user_not_found']);
      }
      expect(await outcomeOf(() => webauthn.startAuthentication(unknownId))).toBe('user_not_found');
    });

    //
    it('replaces the second factor with user verification, and requires it without', async () => {
      const passkeyHolder = await registeredUser();
      await enableTotp(passkeyHolder);
      const { session, pending } = await signIn(passkeyHolder);
      expect([session !== undefined, pending]).toEqual([true, undefined]);
      const sessions = (await storedTraces(passkeyHolder.user.id)).sessions;
      const touched = await signIn(passkeyHolder, undefined, { userVerified: false });
      expect(touched).toEqual({
        user: passkeyHolder.user,
        created: false,
        pending: {
          token: expect.any(String),
          expiresAt: new Date(passkeyHolder.test.clock.now() + 5 * minute),
          methods: ['totp', 'recovery'],
          preferred: 'totp',
        },
      });
      expect((await storedTraces(passkeyHolder.user.id)).sessions).toBe(sessions);
      // Without a second factor, user presence is enough.
      const plain = await registeredUser({}, passkeyHolder.test);
      expect((await signIn(plain, undefined, { userVerified: false })).session).toBeDefined();
    });

    //
    it('accepts one of two concurrent sign-ins with the same counter, and reports the other', async () => {
      const passkeyHolder = await registeredUser();
      const { webauthn } = passkeyHolder.test.service;
      const assertions = await Promise.all(
        [0, 1].map(async () => {
          const { options, challenge } = await webauthn.startAuthentication();
          return {
            response: passkeyHolder.authenticator.get(options, { counter: 9 }),
            expectedChallenge: challenge,
          };
        }),
      );
      expect(await race(2, (index) => webauthn.finishAuthentication(assertions[index]!))).toEqual({
        ok: 1,
        token_invalid: 1,
      });
      const about = { userId: passkeyHolder.user.id, credentialId: passkeyHolder.credential.id };
      expect(await passkeyHolder.test.takeEvents()).toEqual([
        { name: 'passkey.counter_regressed', payload: about },
      ]);
      const [line] = passkeyHolder.test.log.filter(
        ({ fields }) => fields.event === 'passkey_counter_regressed',
      );
      expect([line?.level, line?.fields]).toEqual(['warn', expect.objectContaining(about)]);
    });
  });
});
