// Refused passkey ceremonies (docs/security-requirements.md A-97, T9, C-22): every manipulated
// response of an authenticator or a browser is rejected without a trace in the store.
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { cpuMsOf, outcomeOf } from '../support/outcomes.js';
import {
  base64url,
  withClientData,
  tamperedFields,
  passkeyFixtures,
  withResponse,
  type AuthenticationResponse,
  type RegistrationResponse,
} from '../support/passkeys.js';

describeAdapters('A manipulated passkey response', (on) => {
  const { makePasskeys, passkeyUser, registeredUser, register, signIn, storedTraces } = passkeyFixtures(on);
  const { expectRefused, expectRegistrationRefused, expectSignInRefused } = passkeyFixtures(on);

  describe('at registration', () => {
    //
    it.each(tamperedFields)(
      'rejects %s at registration with token_invalid and stores nothing',
      async (_name, override) => {
        const passkeyHolder = await passkeyUser();
        await expectRegistrationRefused(passkeyHolder, override);
        expect((await storedTraces(passkeyHolder.user.id)).credentials).toEqual([]);
        // The same authenticator without the manipulation is accepted.
        await register(passkeyHolder);
      },
    );

    //
    it('rejects the response of a sign-in at registration with token_invalid', async () => {
      await expectRegistrationRefused(await passkeyUser(), { type: 'webauthn.get' });
    });

    //
    it.each([
      ['required', 'token_invalid'],
      ['preferred', 'ok'],
      ['discouraged', 'ok'],
    ] as const)(
      'returns, without user verification and with the policy %s, %s',
      async (userVerification, outcome) => {
        const passkeyHolder = await passkeyUser({}, await makePasskeys({ userVerification }));
        expect(await outcomeOf(() => register(passkeyHolder, { userVerified: false }))).toBe(outcome);
        expect(await outcomeOf(() => signIn(passkeyHolder, undefined, { userVerified: false }))).toBe(
          outcome,
        );
        expect(
          await outcomeOf(() => register({ ...passkeyHolder, authenticator: softwareAuthenticator() })),
        ).toBe('ok');
      },
    );

    //
    it('rejects a credential id over 1023 bytes with token_invalid, and accepts one of 1023 bytes', async () => {
      const passkeyHolder = await passkeyUser();
      await expectRegistrationRefused(passkeyHolder, { credentialId: base64url(Buffer.alloc(1024, 1)) });
      await expectRegistrationRefused(passkeyHolder, { credentialId: base64url(Buffer.alloc(60_000, 1)) });
      await expectRegistrationRefused(passkeyHolder, { credentialId: '' });
      const longest = await passkeyUser({}, passkeyHolder.test);
      // Unlike others of this length, as ids are unique among all tests.
      const credentialId = base64url(Buffer.concat([Buffer.from(longest.user.id), Buffer.alloc(987, 2)]));
      await register(longest, { credentialId });
      expect((await signIn(longest)).user).toEqual(longest.user);
    });

    //
    it('rejects an id that differs from the attested one with token_invalid', async () => {
      const passkeyHolder = await registeredUser();
      const other = { ...passkeyHolder, authenticator: softwareAuthenticator() };
      for (const id of [base64url('another id'), passkeyHolder.credential.id]) {
        await expectRegistrationRefused(other, {}, (answer) => ({ ...answer, id, rawId: id }));
        await expectRegistrationRefused(other, {}, (answer) => ({ ...answer, id }));
        await expectRegistrationRefused(other, {}, (answer) => ({ ...answer, rawId: id }));
      }
      // The same bytes in another encoding.
      await expectRegistrationRefused(other, {}, (answer) => ({
        ...answer,
        id: `${answer.id}==`,
        rawId: `${answer.id}==`,
      }));
    });

    //
    it('rejects a registration in a cross-origin frame with token_invalid', async () => {
      const passkeyHolder = await passkeyUser();
      for (const changes of [
        { topOrigin: 'https://evil.test' },
        { crossOrigin: true, topOrigin: 'https://evil.test' },
        { crossOrigin: 'true' },
        { crossOrigin: 1 },
        { crossOrigin: null },
      ]) {
        await expectRegistrationRefused(passkeyHolder, {}, withClientData(changes));
      }
      // Older browsers omit it. Nothing signs the client data of a registration.
      await register(passkeyHolder, {}, withClientData({ crossOrigin: undefined }));
    });
  });

  describe('at sign-in', () => {
    //
    it.each(tamperedFields)(
      'rejects %s at sign-in with token_invalid and starts no session',
      async (_name, override) => {
        const passkeyHolder = await registeredUser();
        await expectSignInRefused(passkeyHolder, override);
        expect((await signIn(passkeyHolder)).session).toBeDefined();
      },
    );

    //
    it('rejects the response of a registration, a changed backup eligibility and a forged signature with token_invalid', async () => {
      const passkeyHolder = await registeredUser();
      await expectSignInRefused(passkeyHolder, { type: 'webauthn.create' });
      await expectSignInRefused(passkeyHolder, { backupEligible: true });
      await expectSignInRefused(passkeyHolder, { forged: true });
      const synchronized = await registeredUser({ flags: { backupEligible: true } }, passkeyHolder.test);
      await expectSignInRefused(synchronized, { backupEligible: false });
      const edwards = await registeredUser({ algorithm: 'EdDSA' }, passkeyHolder.test);
      await expectSignInRefused(edwards, { forged: true });
    });

    //
    it('rejects a changed byte in signed data with token_invalid', async () => {
      const passkeyHolder = await registeredUser();
      for (const part of ['authenticatorData', 'signature', 'clientDataJSON'] as const) {
        await expectSignInRefused(passkeyHolder, {}, (answer) => {
          const bytes = Buffer.from(answer.response[part], 'base64url');
          bytes[bytes.length - 3]! ^= 1;
          return withResponse({ [part]: base64url(bytes) })(answer);
        });
      }
      await expectSignInRefused(passkeyHolder, {}, withClientData({ more: 'words' }));
    });

    //
    it('rejects a counter that did not increase with token_invalid and reports it', async () => {
      const passkeyHolder = await registeredUser({ counter: 10 });
      const { test, credential } = passkeyHolder;
      await signIn(passkeyHolder, undefined, { counter: 20 });
      for (const counter of [20, 19, 11, 1, 0]) {
        const { events } = await expectRefused(passkeyHolder, () =>
          signIn(passkeyHolder, undefined, { counter }),
        );
        expect([counter, events]).toEqual([counter, ['passkey.counter_regressed']]);
      }
      await signIn(passkeyHolder, undefined, { counter: 21 });
      const [{ counter } = { counter: 0 }] = await test.service.webauthn.listCredentials(credential.userId);
      expect(counter).toBe(21);
      await signIn(passkeyHolder, undefined, { counter: 2 ** 32 - 1 });
    });

    //
    it('rejects the user handle of another or an unknown user with token_invalid', async () => {
      const passkeyHolder = await registeredUser();
      const other = await registeredUser({}, passkeyHolder.test);
      for (const userHandle of [base64url(other.user.id), base64url('unknown'), passkeyHolder.user.id]) {
        await expectSignInRefused(passkeyHolder, { userHandle });
      }
      for (const userHandle of [
        7,
        {},
        [base64url(passkeyHolder.user.id)],
        `${base64url(passkeyHolder.user.id)}=`,
      ]) {
        await expectSignInRefused(passkeyHolder, {}, withResponse({ userHandle }));
      }
    });

    //
    it('rejects a missing user handle with token_invalid unless a user was named before', async () => {
      const passkeyHolder = await registeredUser();
      await expectRefused(passkeyHolder, () => signIn(passkeyHolder, undefined, { userHandle: null }));
      await expectRefused(passkeyHolder, () =>
        signIn(passkeyHolder, undefined, {}, withResponse({ userHandle: null })),
      );
      expect((await signIn(passkeyHolder, passkeyHolder.user.id, { userHandle: null })).user).toEqual(
        passkeyHolder.user,
      );
      expect(
        (await signIn(passkeyHolder, passkeyHolder.user.id, {}, withResponse({ userHandle: null }))).user,
      ).toEqual(passkeyHolder.user);
    });

    //
    it('rejects the passkey of another user with token_invalid if a user is named', async () => {
      const passkeyHolder = await registeredUser();
      const other = await registeredUser({}, passkeyHolder.test);
      const { webauthn } = passkeyHolder.test.service;
      for (const userHandle of [null, base64url(passkeyHolder.user.id), base64url(other.user.id)]) {
        await expectRefused(passkeyHolder, async () => {
          const { options, challenge } = await webauthn.startAuthentication(passkeyHolder.user.id);
          const assertion = other.authenticator.get({ ...options, allowCredentials: [] }, { userHandle });
          await webauthn.finishAuthentication(
            { userId: passkeyHolder.user.id, response: assertion, expectedChallenge: challenge },
            { startSession: true },
          );
        });
        expect((await storedTraces(other.user.id)).sessions).toBe(0);
      }
    });

    //
    it('rejects an unknown passkey and the id of another one with token_invalid', async () => {
      const passkeyHolder = await registeredUser();
      const other = await registeredUser({}, passkeyHolder.test);
      const stranger = { ...passkeyHolder, authenticator: softwareAuthenticator() };
      // Registered elsewhere, so it is unknown in this store.
      const elsewhere = await passkeyUser({}, passkeyHolder.test);
      stranger.authenticator.create(
        (await passkeyHolder.test.service.webauthn.startRegistration(elsewhere.user.id)).options,
      );
      await expectRefused(passkeyHolder, () => signIn(stranger));
      for (const credentialId of ['', 'AAAA', other.credential.id, 'x'.repeat(100_000), 'nul\0', '\ud800']) {
        await expectSignInRefused(passkeyHolder, { credentialId });
      }
    });
  });

  //
  it('logs a refusal without the challenge, the key or other parts of the response', async () => {
    const passkeyHolder = await registeredUser();
    const { test, user } = passkeyHolder;
    const secrets: string[] = [];
    const remembering = (answer: RegistrationResponse | AuthenticationResponse) => {
      const { clientDataJSON } = answer.response;
      const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
        challenge: string;
      };
      secrets.push(challenge || clientDataJSON, clientDataJSON);
      return answer;
    };
    await signIn(passkeyHolder, undefined, {}, remembering);
    for (const [, override] of tamperedFields) {
      await outcomeOf(() => signIn(passkeyHolder, undefined, override, remembering));
      await outcomeOf(() =>
        register({ ...passkeyHolder, authenticator: softwareAuthenticator() }, override, remembering),
      );
    }
    await outcomeOf(() => signIn(passkeyHolder, undefined, { origin: 'https://planted.test' }));
    await outcomeOf(() => signIn(passkeyHolder, undefined, { type: 'planted' }));
    await outcomeOf(() => signIn(passkeyHolder, undefined, {}, (answer) => ({ ...answer, type: 'planted' })));
    const [credential] = (await storedTraces(user.id)).credentials;
    const lines = JSON.stringify(test.log);
    expect(lines).toContain('passkey_refused');
    expect(secrets.length).toBeGreaterThan(50);
    for (const secret of new Set([...secrets, credential!.publicKey, 'planted']))
      expect(lines).not.toContain(secret);
  });

  //
  it('rejects a manipulated response with little more work than it accepts a valid one', async () => {
    const passkeyHolder = await registeredUser();
    const other = { ...passkeyHolder, authenticator: softwareAuthenticator() };
    const efforts: number[] = [];
    const valid: number[] = [];
    for (let round = 0; round < 3; round += 1) valid.push(await cpuMsOf(() => signIn(passkeyHolder)));
    for (const [, override] of tamperedFields) {
      efforts.push(
        await cpuMsOf(() => expectRefused(passkeyHolder, () => signIn(passkeyHolder, undefined, override))),
      );
      efforts.push(await cpuMsOf(() => expectRefused(other, () => register(other, override))));
    }
    // The median, as garbage collection runs in between.
    expect(efforts.sort((a, b) => a - b)[Math.floor(efforts.length / 2)]).toBeLessThan(
      Math.max(...valid) * 10,
    );
  });
});
