// Challenges of passkey ceremonies, and what revokes them with the passkeys of a user
// (docs/security-requirements.md T9, A-97).
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { passkeyFixtures } from '../support/passkeys.js';

describeAdapters('Challenges of passkeys', (on) => {
  const { adapter } = on;
  const { makePasskeys, verifiedUser, unverifiedUser, register } = passkeyFixtures(on);
  const { passkeyUser, registeredUser, signInOutcome, registerOutcome, storedTraces } = passkeyFixtures(on);
  const { beginRegistration, beginSignIn } = passkeyFixtures(on);

  describe('a challenge', () => {
    // T9, A-97
    it('a challenge is used up by the first valid response: a replay fails', async () => {
      const passkeyHolder = await passkeyUser();
      const { webauthn } = passkeyHolder.test.service;
      const registration = await beginRegistration(passkeyHolder);
      expect(await outcomeOf(() => webauthn.finishRegistration(registration))).toBe('ok');
      expect(await outcomeOf(() => webauthn.finishRegistration(registration))).toBe('token_invalid');
      const counterless = await registeredUser({ counter: 0 }, passkeyHolder.test);
      const response = await beginSignIn(counterless);
      expect(await outcomeOf(() => webauthn.finishAuthentication(response))).toBe('ok');
      expect(await outcomeOf(() => webauthn.finishAuthentication(response))).toBe('token_invalid');
    });

    // T9, A-97
    it('a challenge is used up by a wrong response, too', async () => {
      const passkeyHolder = await registeredUser();
      const { webauthn } = passkeyHolder.test.service;
      const { response, expectedChallenge } = await beginSignIn(passkeyHolder);
      const wrong = { ...response, type: 'other' as 'public-key' };
      expect(
        await outcomeOf(() => webauthn.finishAuthentication({ response: wrong, expectedChallenge })),
      ).toBe('token_invalid');
      expect(await outcomeOf(() => webauthn.finishAuthentication({ response, expectedChallenge }))).toBe(
        'token_invalid',
      );
    });

    //
    it('accepts one of 50 concurrent responses', async () => {
      const passkeyHolder = await registeredUser({ counter: 0 });
      const response = await beginSignIn(passkeyHolder);
      const { webauthn } = passkeyHolder.test.service;
      const finish = () => webauthn.finishAuthentication(response, { startSession: true });
      expect(await race(50, finish)).toEqual({ ok: 1, token_invalid: 49 });
      expect((await storedTraces(passkeyHolder.user.id)).sessions).toBe(1);
      const registration = await beginRegistration({
        ...passkeyHolder,
        authenticator: softwareAuthenticator(),
      });
      expect(await race(50, () => webauthn.finishRegistration(registration))).toEqual({
        ok: 1,
        token_invalid: 49,
      });
      expect((await storedTraces(passkeyHolder.user.id)).credentials).toHaveLength(2);
    });

    it('a challenge expires after five minutes, to the millisecond', async () => {
      const passkeyHolder = await registeredUser();
      const other = { ...passkeyHolder, authenticator: softwareAuthenticator() };
      const { test } = passkeyHolder;
      for (const [waits, outcome] of [
        [5 * minute - 1, 'ok'],
        [5 * minute, 'token_invalid'],
      ] as const) {
        const [assertion, registration] = [await beginSignIn(passkeyHolder), await beginRegistration(other)];
        test.clock.advance(waits);
        expect(await outcomeOf(() => test.service.webauthn.finishAuthentication(assertion))).toBe(outcome);
        expect(await outcomeOf(() => test.service.webauthn.finishRegistration(registration))).toBe(outcome);
        other.authenticator = softwareAuthenticator();
      }
    });

    // T9, A-97
    it('a challenge is bound to one ceremony', async () => {
      const passkeyHolder = await registeredUser();
      const { test, user, authenticator } = passkeyHolder;
      const { webauthn } = test.service;
      const creation = await webauthn.startRegistration(user.id);
      const request = await webauthn.startAuthentication(user.id);
      const assertion = authenticator.get({ ...request.options, challenge: creation.challenge });
      const crossed = { userId: user.id, response: assertion, expectedChallenge: creation.challenge };
      expect(await outcomeOf(() => webauthn.finishAuthentication(crossed))).toBe('token_invalid');
      const response = softwareAuthenticator().create({ ...creation.options, challenge: request.challenge });
      const other = { userId: user.id, response, expectedChallenge: request.challenge };
      expect(await outcomeOf(() => webauthn.finishRegistration(other))).toBe('token_invalid');
    });

    // T9, A-97
    it('a challenge is bound to one user', async () => {
      const passkeyHolder = await registeredUser();
      const other = await registeredUser({}, passkeyHolder.test);
      const { webauthn } = passkeyHolder.test.service;
      const registration = await beginRegistration({
        ...passkeyHolder,
        authenticator: softwareAuthenticator(),
      });
      expect(
        await outcomeOf(() => webauthn.finishRegistration({ ...registration, userId: other.user.id })),
      ).toBe('token_invalid');
      const assertion = await beginSignIn(other);
      const { options, challenge } = await webauthn.startAuthentication(passkeyHolder.user.id);
      const response = other.authenticator.get({ ...options, allowCredentials: [] });
      for (const userId of [undefined, other.user.id]) {
        const input = { ...(userId && { userId }), response, expectedChallenge: challenge };
        expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
      }
      // A challenge without a user is valid for a user who is named later.
      expect(
        await outcomeOf(() => webauthn.finishAuthentication({ ...assertion, userId: other.user.id })),
      ).toBe('ok');
    });

    // T9, A-97
    it('rejects a challenge that the caller made up, even with a valid response', async () => {
      const passkeyHolder = await registeredUser();
      const { webauthn } = passkeyHolder.test.service;
      const { options } = await webauthn.startAuthentication();
      const challenge = Buffer.alloc(32, 7).toString('base64url');
      const response = passkeyHolder.authenticator.get({ ...options, challenge });
      const input = { response, expectedChallenge: challenge };
      expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
    });

    //
    it('must be the one that the response signs', async () => {
      const passkeyHolder = await registeredUser();
      const { webauthn } = passkeyHolder.test.service;
      const [first, second] = [await beginSignIn(passkeyHolder), await beginSignIn(passkeyHolder)];
      const input = { response: first.response, expectedChallenge: second.expectedChallenge };
      expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
    });

    it('a challenge is stored as a digest', async () => {
      const { test, user } = await passkeyUser();
      const { challenge } = await test.service.webauthn.startRegistration(user.id);
      const { singleUseTokens } = adapter();
      const now = new Date(test.clock.now());
      expect(await singleUseTokens.consume('webauthn_registration', challenge, now)).toBeNull();
      expect(JSON.stringify((await on.sql?.('select * from svc_single_use_tokens')) ?? '')).not.toContain(
        challenge,
      );
    });
  });

  describe('an event that ends all sign-ins of a user', () => {
    //
    it('removes passkeys and pending challenges, when it reclaims the account', async () => {
      const test = await makePasskeys();
      const user = await unverifiedUser(test);
      const passkeyHolder = { test, user, authenticator: softwareAuthenticator() };
      await register(passkeyHolder);
      const assertion = { ...(await beginSignIn(passkeyHolder, user.id)), userId: user.id };
      const registration = await beginRegistration({
        ...passkeyHolder,
        authenticator: softwareAuthenticator(),
      });
      await verifiedUser(test, user.email!);
      expect(await test.service.webauthn.listCredentials(user.id)).toEqual([]);
      expect(await outcomeOf(() => test.service.webauthn.finishAuthentication(assertion))).toBe(
        'token_invalid',
      );
      expect(await outcomeOf(() => test.service.webauthn.finishRegistration(registration))).toBe(
        'token_invalid',
      );
      expect((await storedTraces(user.id)).credentials).toEqual([]);
    });

    //
    it('revokes pending challenges and keeps the passkeys of a verified address, when it resets the password', async () => {
      const passkeyHolder = await registeredUser();
      const { test, user } = passkeyHolder;
      const assertion = { ...(await beginSignIn(passkeyHolder, user.id)), userId: user.id };
      const registration = await beginRegistration({
        ...passkeyHolder,
        authenticator: softwareAuthenticator(),
      });
      await test.service.emailPassword.requestReset({ email: user.email! });
      await test.takeEvents();
      const token = new URL(test.mail.lastLink(user.email!)!).searchParams.get('token')!;
      await test.service.emailPassword.setPassword({ token, newPassword: 'another battery staple' });
      expect(await outcomeOf(() => test.service.webauthn.finishAuthentication(assertion))).toBe(
        'token_invalid',
      );
      expect(await outcomeOf(() => test.service.webauthn.finishRegistration(registration))).toBe(
        'token_invalid',
      );
      expect(await signInOutcome(passkeyHolder)).toBe('ok');
    });

    //
    it('rejects a registration that began before revokeAll', async () => {
      const passkeyHolder = await passkeyUser();
      const registration = await beginRegistration(passkeyHolder);
      await passkeyHolder.test.service.sessionsProvider.revokeAll(passkeyHolder.user.id);
      expect(
        await outcomeOf(() => passkeyHolder.test.service.webauthn.finishRegistration(registration)),
      ).toBe('token_invalid');
      expect((await storedTraces(passkeyHolder.user.id)).credentials).toEqual([]);
      expect(await registerOutcome(passkeyHolder)).toBe('ok');
    });

    //
    it('starts no session for a sign-in that revokeAll or a claim overtakes', async () => {
      const test = await makePasskeys();
      for (const ending of ['revokeAll', 'claim'] as const) {
        const user = await unverifiedUser(test);
        const passkeyHolder = { test, user, authenticator: softwareAuthenticator() };
        await register(passkeyHolder);
        const assertion = await beginSignIn(passkeyHolder);
        const { credentials, ...rest } = adapter();
        // The user and the passkey are read; everything is revoked before the next statement.
        const findWithUser: NonNullable<typeof credentials>['findWithUser'] = async (id) => {
          const credential = await credentials!.findWithUser(id);
          const now = new Date(test.clock.now());
          if (ending === 'claim') await rest.users.claim(user.id, now);
          else await rest.sessions.revokeAll(user.id, now);
          return credential;
        };
        const slow = await makePasskeys(
          {},
          { adapter: { ...rest, credentials: { ...credentials!, findWithUser } }, clock: test.clock },
        );
        const finish = () => slow.service.webauthn.finishAuthentication(assertion, { startSession: true });
        expect([ending, await outcomeOf(finish)]).toEqual([ending, 'token_invalid']);
        expect(await adapter().sessions.listLive(user.id, new Date(test.clock.now()))).toEqual([]);
        // This does not count as a copied passkey.
        expect(await slow.takeEventNames()).toEqual([]);
      }
    });

    it('deletes passkeys and challenges with the account', async () => {
      const passkeyHolder = await registeredUser();
      const assertion = await beginSignIn(passkeyHolder);
      await passkeyHolder.test.service.account.deleteUser(passkeyHolder.user.id);
      expect(await outcomeOf(() => passkeyHolder.test.service.webauthn.finishAuthentication(assertion))).toBe(
        'token_invalid',
      );
      expect((await storedTraces(passkeyHolder.user.id)).credentials).toEqual([]);
    });
  });
});
