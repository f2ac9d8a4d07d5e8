// Passkeys: what they do (specification 4.3 `webauthn`; docs/security-requirements.md, C-22). What they refuse is in
// webauthn-lies.test.ts.
import { TOTP } from 'otpauth';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters, noting } from '../support/describe-adapters.js';
import { minute, nobody, oddIds } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { origins, passkeys, rpId, type Holder } from '../support/passkeys.js';

describeAdapters('Passkeys', (on) => {
  const { adapter } = on;
  const { makePasskeys, verifiedUser, unverifiedUser, userWithoutAddress, register, signIn } = passkeys(on);
  const { holder, registered, signInOutcome, registerOutcome, traces } = passkeys(on);

  const begun = async ({ test, user, authenticator }: Holder) => {
    const { options, challenge } = await test.service.webauthn.startRegistration(user.id);
    const response = authenticator.create(options);
    return { userId: user.id, response, expectedChallenge: challenge };
  };
  const asked = async ({ test, authenticator }: Holder, as?: string) => {
    const { options, challenge } = await test.service.webauthn.startAuthentication(as);
    return { response: authenticator.get(options), expectedChallenge: challenge };
  };
  const enableTotp = async ({ test, user }: Holder) => {
    const { secret } = await test.service.totp.beginEnrollment(user.id);
    const code = new TOTP({ secret }).generate({ timestamp: test.clock.now() });
    await test.service.totp.confirmEnrollment(user.id, code);
  };

  describe('A registration and a sign-in', () => {
    it.each(['ES256', 'EdDSA'] as const)('A-97 work with a key of %s', async (algorithm) => {
      const held = await holder({ algorithm, flags: { backupEligible: true } });
      const { test, user } = held;
      await test.heard();
      const credential = await register(held);
      expect(credential).toEqual({
        id: held.authenticator.credentials[0]!.id,
        userId: user.id,
        counter: 1,
        transports: ['internal'],
        backupEligible: true,
        backedUp: false,
        aaguid: '00000000-0000-0000-0000-000000000000',
        createdAt: new Date(test.clock.now()),
        lastUsedAt: null,
      });
      test.clock.advance(minute);
      const { session, ...result } = await signIn(held, undefined, { backedUp: true });
      expect(result).toEqual({ user, created: false });
      expect(await test.service.getSessionUser(session!.token)).toEqual(user);
      expect(await test.service.webauthn.listCredentials(user.id)).toEqual([
        { ...credential, counter: 2, backedUp: true, lastUsedAt: new Date(test.clock.now()) },
      ]);
      const about = { userId: user.id, credentialId: credential.id };
      expect(await test.heard()).toEqual([
        { name: 'passkey.registered', payload: about },
        { name: 'session.created', payload: { userId: user.id, sessionId: session!.session.id } },
      ]);
    });

    it('gives no session to a caller who does not ask for one', async () => {
      const held = await registered();
      expect(await signIn(held, held.user.id, {}, (answer) => answer, {})).toEqual({
        user: held.user,
        created: false,
      });
      expect((await traces(held.user.id)).sessions).toBe(0);
    });

    it('follows the state of the backup both ways, and signs in as often as wanted without a counter', async () => {
      const held = await registered({ counter: 0, flags: { backupEligible: true, backedUp: true } });
      for (const backedUp of [false, true, false]) {
        expect(await signInOutcome(held, held.user.id, { backedUp })).toBe('ok');
        const [credential] = await held.test.service.webauthn.listCredentials(held.user.id);
        expect(credential).toMatchObject({ backedUp, backupEligible: true, counter: 0 });
      }
    });

    it('takes every configured origin, and an Android app by its certificate', async () => {
      const app = `android:apk-key-hash:${'A'.repeat(43)}`;
      const test = await makePasskeys({ origins: [...origins, app] });
      for (const origin of [...origins, app]) {
        expect(await signInOutcome(await registered({ origin }, test))).toBe('ok');
      }
    });

    it('keeps the session that a new one replaces from living on', async () => {
      const held = await registered();
      const { session } = await signIn(held);
      const context = { startSession: true, sessionToken: session!.token };
      await signIn(held, undefined, {}, (answer) => answer, context);
      expect(await outcomeOf(() => held.test.service.getSessionUser(session!.token))).toBe('token_invalid');
    });

    it('keeps odd transports out of the store', async () => {
      const held = await holder();
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
      const credential = await register(held, {}, (answer) => ({
        ...answer,
        response: { ...answer.response, transports },
      }));
      expect(credential.transports).toEqual(['usb', 'nfc', 'ble', 'ble', 'ble', 'ble', 'ble', 'ble']);
      for (const none of [undefined, null, 'usb', 7, {}]) {
        const other = await register({ ...held, authenticator: softwareAuthenticator() }, {}, (answer) => ({
          ...answer,
          response: { ...answer.response, transports: none },
        }));
        expect(other.transports).toEqual([]);
      }
    });
  });

  describe('The options', () => {
    it('C-22 of a registration follow the policy', async () => {
      const { test, user, credential } = await registered();
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

    it('C-22 of a sign-in follow the policy, and tell nothing of anybody without a user', async () => {
      const { test, user, credential } = await registered();
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
      'ask for user verification %s',
      async (wish) => {
        const test = await makePasskeys({ userVerification: wish, rpName: ' Acme Inc. ', timeoutMs: 5000 });
        const user = await verifiedUser(test);
        const { options } = await test.service.webauthn.startRegistration(user.id);
        expect(options).toMatchObject({
          rp: { id: rpId, name: 'Acme Inc.' },
          timeout: 5000,
          authenticatorSelection: { userVerification: wish },
        });
        const { options: request } = await test.service.webauthn.startAuthentication();
        expect(request).toMatchObject({ timeout: 5000, userVerification: wish });
      },
    );

    it('name a user without an address by the id', async () => {
      const test = await makePasskeys();
      const user = await userWithoutAddress(test);
      const { options } = await test.service.webauthn.startRegistration(user.id);
      expect(options.user.name).toBe(user.id);
    });

    it('refuse a guest, whose passkey would be a way into the account that the guest becomes', async () => {
      const held = await holder();
      const { webauthn, sessionsProvider } = held.test.service;
      const { user } = await sessionsProvider.createGuest();
      expect(await outcomeOf(() => webauthn.startRegistration(user.id))).toBe('not_authorized');
      const answer = { ...(await begun(held)), userId: user.id };
      expect(await outcomeOf(() => webauthn.finishRegistration(answer))).toBe('not_authorized');
      expect((await traces(user.id)).credentials).toEqual([]);
    });
  });

  it('An answer whose id is longer than any passkey’s is refused before anything is looked up', async () => {
    const calls: string[] = [];
    const test = await makePasskeys({}, { adapter: noting(adapter(), calls) });
    const held = await registered({}, test);
    const { response, expectedChallenge } = await asked(held);
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
      test.service.webauthn.removeCredential(held.user.id, 'A'.repeat(1365)),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(calls).not.toContain('credentials.remove');
  });

  it('A user begins thirty registrations in a quarter of an hour, whatever others do', async () => {
    const test = await makePasskeys();
    const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
    const start = (id: string) => outcomeOf(() => test.service.webauthn.startRegistration(id));
    for (let i = 0; i < 30; i += 1) expect(await start(user.id)).toBe('ok');
    expect(await start(user.id)).toBe('rate_limit_exceeded');
    expect(await start(other.id)).toBe('ok');
    test.clock.advance(15 * minute);
    expect(await start(user.id)).toBe('ok');
  });

  describe('A challenge', () => {
    it('T9 A-97 is spent by the first answer: a replay of a good one fails', async () => {
      const held = await holder();
      const { webauthn } = held.test.service;
      const registration = await begun(held);
      expect(await outcomeOf(() => webauthn.finishRegistration(registration))).toBe('ok');
      expect(await outcomeOf(() => webauthn.finishRegistration(registration))).toBe('token_invalid');
      const counterless = await registered({ counter: 0 }, held.test);
      const answer = await asked(counterless);
      expect(await outcomeOf(() => webauthn.finishAuthentication(answer))).toBe('ok');
      expect(await outcomeOf(() => webauthn.finishAuthentication(answer))).toBe('token_invalid');
    });

    it('T9 A-97 is spent by a wrong answer, too', async () => {
      const held = await registered();
      const { webauthn } = held.test.service;
      const { response, expectedChallenge } = await asked(held);
      const wrong = { ...response, type: 'other' as 'public-key' };
      expect(
        await outcomeOf(() => webauthn.finishAuthentication({ response: wrong, expectedChallenge })),
      ).toBe('token_invalid');
      expect(await outcomeOf(() => webauthn.finishAuthentication({ response, expectedChallenge }))).toBe(
        'token_invalid',
      );
    });

    it('A-97 of 50 parallel answers takes one', async () => {
      const held = await registered({ counter: 0 });
      const answer = await asked(held);
      const { webauthn } = held.test.service;
      const finish = () => webauthn.finishAuthentication(answer, { startSession: true });
      expect(await race(50, finish)).toEqual({ ok: 1, token_invalid: 49 });
      expect((await traces(held.user.id)).sessions).toBe(1);
      const registration = await begun({ ...held, authenticator: softwareAuthenticator() });
      expect(await race(50, () => webauthn.finishRegistration(registration))).toEqual({
        ok: 1,
        token_invalid: 49,
      });
      expect((await traces(held.user.id)).credentials).toHaveLength(2);
    });

    it('is good for five minutes, and not a millisecond more', async () => {
      const held = await registered();
      const other = { ...held, authenticator: softwareAuthenticator() };
      const { test } = held;
      for (const [waits, outcome] of [
        [5 * minute - 1, 'ok'],
        [5 * minute, 'token_invalid'],
      ] as const) {
        const [answer, registration] = [await asked(held), await begun(other)];
        test.clock.advance(waits);
        expect(await outcomeOf(() => test.service.webauthn.finishAuthentication(answer))).toBe(outcome);
        expect(await outcomeOf(() => test.service.webauthn.finishRegistration(registration))).toBe(outcome);
        other.authenticator = softwareAuthenticator();
      }
    });

    it('T9 A-97 is of one ceremony', async () => {
      const held = await registered();
      const { test, user, authenticator } = held;
      const { webauthn } = test.service;
      const creation = await webauthn.startRegistration(user.id);
      const request = await webauthn.startAuthentication(user.id);
      const answer = authenticator.get({ ...request.options, challenge: creation.challenge });
      const crossed = { userId: user.id, response: answer, expectedChallenge: creation.challenge };
      expect(await outcomeOf(() => webauthn.finishAuthentication(crossed))).toBe('token_invalid');
      const response = softwareAuthenticator().create({ ...creation.options, challenge: request.challenge });
      const other = { userId: user.id, response, expectedChallenge: request.challenge };
      expect(await outcomeOf(() => webauthn.finishRegistration(other))).toBe('token_invalid');
    });

    it('T9 A-97 is of one user', async () => {
      const held = await registered();
      const other = await registered({}, held.test);
      const { webauthn } = held.test.service;
      const registration = await begun({ ...held, authenticator: softwareAuthenticator() });
      expect(
        await outcomeOf(() => webauthn.finishRegistration({ ...registration, userId: other.user.id })),
      ).toBe('token_invalid');
      const answer = await asked(other);
      const { options, challenge } = await webauthn.startAuthentication(held.user.id);
      const response = other.authenticator.get({ ...options, allowCredentials: [] });
      for (const userId of [undefined, other.user.id]) {
        const input = { ...(userId && { userId }), response, expectedChallenge: challenge };
        expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
      }
      // One for whoever answers is good for a user who is named later.
      expect(await outcomeOf(() => webauthn.finishAuthentication({ ...answer, userId: other.user.id }))).toBe(
        'ok',
      );
    });

    it('T9 A-97 that a caller made up fails, however well it is answered', async () => {
      const held = await registered();
      const { webauthn } = held.test.service;
      const { options } = await webauthn.startAuthentication();
      const challenge = Buffer.alloc(32, 7).toString('base64url');
      const response = held.authenticator.get({ ...options, challenge });
      const input = { response, expectedChallenge: challenge };
      expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
    });

    it('A-97 must be the one that the answer signs', async () => {
      const held = await registered();
      const { webauthn } = held.test.service;
      const [one, two] = [await asked(held), await asked(held)];
      const input = { response: one.response, expectedChallenge: two.expectedChallenge };
      expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
    });

    it('is kept as a digest', async () => {
      const { test, user } = await holder();
      const { challenge } = await test.service.webauthn.startRegistration(user.id);
      const { singleUseTokens } = adapter();
      const now = new Date(test.clock.now());
      expect(await singleUseTokens.consume('webauthn_registration', challenge, now)).toBeNull();
      expect(JSON.stringify((await on.sql?.('select * from svc_single_use_tokens')) ?? '')).not.toContain(
        challenge,
      );
    });
  });

  describe('What ends everything of a user', () => {
    it('A-97 a claim removes passkeys and open challenges', async () => {
      const test = await makePasskeys();
      const user = await unverifiedUser(test);
      const held = { test, user, authenticator: softwareAuthenticator() };
      await register(held);
      const answer = { ...(await asked(held, user.id)), userId: user.id };
      const registration = await begun({ ...held, authenticator: softwareAuthenticator() });
      await verifiedUser(test, user.email!);
      expect(await test.service.webauthn.listCredentials(user.id)).toEqual([]);
      expect(await outcomeOf(() => test.service.webauthn.finishAuthentication(answer))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.webauthn.finishRegistration(registration))).toBe(
        'token_invalid',
      );
      expect((await traces(user.id)).credentials).toEqual([]);
    });

    it('A-97 a password reset ends open challenges, and leaves the passkeys of a proven address', async () => {
      const held = await registered();
      const { test, user } = held;
      const answer = { ...(await asked(held, user.id)), userId: user.id };
      const registration = await begun({ ...held, authenticator: softwareAuthenticator() });
      await test.service.emailPassword.requestReset({ email: user.email! });
      await test.heard();
      const token = new URL(test.mail.lastLink(user.email!)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: 'another battery staple' });
      expect(await outcomeOf(() => test.service.webauthn.finishAuthentication(answer))).toBe('token_invalid');
      expect(await outcomeOf(() => test.service.webauthn.finishRegistration(registration))).toBe(
        'token_invalid',
      );
      expect(await signInOutcome(held)).toBe('ok');
    });

    it('A-97 a registration that began before revokeAll leaves nothing', async () => {
      const held = await holder();
      const registration = await begun(held);
      await held.test.service.sessionsProvider.revokeAll(held.user.id);
      expect(await outcomeOf(() => held.test.service.webauthn.finishRegistration(registration))).toBe(
        'token_invalid',
      );
      expect((await traces(held.user.id)).credentials).toEqual([]);
      expect(await registerOutcome(held)).toBe('ok');
    });

    it('A-97 a sign-in that is under way during revokeAll or a claim leaves no session', async () => {
      const test = await makePasskeys();
      for (const ending of ['revokeAll', 'claim'] as const) {
        const user = await unverifiedUser(test);
        const held = { test, user, authenticator: softwareAuthenticator() };
        await register(held);
        const answer = await asked(held);
        const { credentials, ...rest } = adapter();
        // The user and the passkey are read; before anything else is, all of it ends.
        const findWithUser: NonNullable<typeof credentials>['findWithUser'] = async (id) => {
          const found = await credentials!.findWithUser(id);
          const now = new Date(test.clock.now());
          if (ending === 'claim') await rest.users.claim(user.id, now);
          else await rest.sessions.revokeAll(user.id, now);
          return found;
        };
        const slow = await makePasskeys(
          {},
          { adapter: { ...rest, credentials: { ...credentials!, findWithUser } }, clock: test.clock },
        );
        const finish = () => slow.service.webauthn.finishAuthentication(answer, { startSession: true });
        expect([ending, await outcomeOf(finish)]).toEqual([ending, 'token_invalid']);
        expect(await adapter().sessions.listLive(user.id, new Date(test.clock.now()))).toEqual([]);
        // No copy of the key was at work.
        expect(await slow.heardNames()).toEqual([]);
      }
    });

    it('the deletion of the account takes passkeys and challenges along', async () => {
      const held = await registered();
      const answer = await asked(held);
      await held.test.service.account.deleteUser(held.user.id);
      expect(await outcomeOf(() => held.test.service.webauthn.finishAuthentication(answer))).toBe(
        'token_invalid',
      );
      expect((await traces(held.user.id)).credentials).toEqual([]);
    });
  });

  describe('A passkey', () => {
    it('A-97 that is registered already is invalid_request, for its user and for another', async () => {
      const held = await registered();
      const other = await holder({}, held.test);
      const lie = { credentialId: held.credential.id };
      const before = await traces(held.user.id);
      expect(await registerOutcome(held, lie)).toBe('invalid_request');
      expect(await registerOutcome(other, lie)).toBe('invalid_request');
      expect(await traces(held.user.id)).toEqual(before);
      expect((await traces(other.user.id)).credentials).toEqual([]);
    });

    it('A-97 is listed to its user only, oldest first, without its public key', async () => {
      const held = await holder();
      const other = await registered({}, held.test);
      const ids: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        ids.push((await register({ ...held, authenticator: softwareAuthenticator() })).id);
        held.test.clock.advance(1);
      }
      const listed = await held.test.service.webauthn.listCredentials(held.user.id);
      expect(listed.map(({ id }) => id)).toEqual(ids);
      for (const each of [...listed, other.credential]) expect(each).not.toHaveProperty('publicKey');
      expect((await traces(held.user.id)).credentials[0]!.publicKey).toMatch(/^[\w-]{50,}$/);
    });

    it('is removed by its own user only, and signs in no more', async () => {
      const held = await registered();
      const other = await registered({}, held.test);
      const { webauthn } = held.test.service;
      const open = await asked(held);
      for (const id of [other.credential.id, ...oddIds]) {
        expect([id, await outcomeOf(() => webauthn.removeCredential(held.user.id, id as string))]).toEqual([
          id,
          'invalid_request',
        ]);
      }
      expect(await held.test.heard()).toEqual([]);
      await webauthn.removeCredential(held.user.id, held.credential.id);
      expect(await held.test.heard()).toEqual([
        { name: 'passkey.removed', payload: { userId: held.user.id, credentialId: held.credential.id } },
      ]);
      expect(await outcomeOf(() => webauthn.removeCredential(held.user.id, held.credential.id))).toBe(
        'invalid_request',
      );
      expect(await outcomeOf(() => webauthn.finishAuthentication(open))).toBe('token_invalid');
      expect(await signInOutcome(other)).toBe('ok');
      // It can be registered again, also by another.
      expect(
        await registerOutcome(
          { ...other, authenticator: held.authenticator },
          { credentialId: held.credential.id },
        ),
      ).toBe('ok');
    });

    it('for a user who does not exist is user_not_found', async () => {
      const { test, credential } = await registered();
      const { webauthn } = test.service;
      const registration = { response: {} as never, expectedChallenge: 'x' };
      for (const id of oddIds as string[]) {
        const calls = [
          () => webauthn.startRegistration(id),
          () => webauthn.finishRegistration({ ...registration, userId: id }),
          () => webauthn.listCredentials(id),
          () => webauthn.removeCredential(id, credential.id),
          ...(id === undefined ? [] : [() => webauthn.startAuthentication(id)]),
        ];
        for (const call of calls) expect([id, await outcomeOf(call)]).toEqual([id, 'user_not_found']);
      }
      expect(await outcomeOf(() => webauthn.startAuthentication(nobody))).toBe('user_not_found');
    });

    it('A-16 A-97 with user verification passes the gate; without, it meets it', async () => {
      const held = await registered();
      await enableTotp(held);
      const { session, pending } = await signIn(held);
      expect([session !== undefined, pending]).toEqual([true, undefined]);
      const sessions = (await traces(held.user.id)).sessions;
      const touched = await signIn(held, undefined, { userVerified: false });
      expect(touched).toEqual({
        user: held.user,
        created: false,
        pending: { token: expect.any(String), expiresAt: new Date(held.test.clock.now() + 5 * minute) },
      });
      expect((await traces(held.user.id)).sessions).toBe(sessions);
      // Without a second factor a touch is enough.
      const plain = await registered({}, held.test);
      expect((await signIn(plain, undefined, { userVerified: false })).session).toBeDefined();
    });

    it('A-97 of two parallel sign-ins with one counter lets one through, and raises the alarm', async () => {
      const held = await registered();
      const { webauthn } = held.test.service;
      const answers = await Promise.all(
        [0, 1].map(async () => {
          const { options, challenge } = await webauthn.startAuthentication();
          return { response: held.authenticator.get(options, { counter: 9 }), expectedChallenge: challenge };
        }),
      );
      expect(await race(2, (index) => webauthn.finishAuthentication(answers[index]!))).toEqual({
        ok: 1,
        token_invalid: 1,
      });
      const about = { userId: held.user.id, credentialId: held.credential.id };
      expect(await held.test.heard()).toEqual([{ name: 'passkey.counter_regressed', payload: about }]);
      const [line] = held.test.log.filter(({ fields }) => fields.event === 'passkey_counter_regressed');
      expect([line?.level, line?.fields]).toEqual(['warn', expect.objectContaining(about)]);
    });
  });
});
