// Passkeys: what they refuse (docs/security-requirements.md A-97, T9, C-22). Every lie of an authenticator or a browser, in both
// ceremonies, without a trace in the store.
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { effortOf, outcomeOf } from '../support/outcomes.js';
import {
  base64url,
  clientData,
  lies,
  passkeys,
  response,
  type Authentication,
  type Registration,
} from '../support/passkeys.js';

describeAdapters('A lie about a passkey', (on) => {
  const { makePasskeys, holder, registered, register, signIn, traces } = passkeys(on);
  const { refused, refusedRegistration, refusedSignIn } = passkeys(on);

  describe('at registration', () => {
    it.each(lies)('A-97 of %s is token_invalid and leaves nothing', async (_name, lie) => {
      const held = await holder();
      await refusedRegistration(held, lie);
      expect((await traces(held.user.id)).credentials).toEqual([]);
      // The same authenticator, honest, is believed.
      await register(held);
    });

    it('A-97 of the other ceremony is token_invalid', async () => {
      await refusedRegistration(await holder(), { type: 'webauthn.get' });
    });

    it.each([
      ['required', 'token_invalid'],
      ['preferred', 'ok'],
      ['discouraged', 'ok'],
    ] as const)(
      'A-97 without user verification, where it is %s, is %s',
      async (userVerification, outcome) => {
        const held = await holder({}, await makePasskeys({ userVerification }));
        expect(await outcomeOf(() => register(held, { userVerified: false }))).toBe(outcome);
        expect(await outcomeOf(() => signIn(held, undefined, { userVerified: false }))).toBe(outcome);
        expect(await outcomeOf(() => register({ ...held, authenticator: softwareAuthenticator() }))).toBe(
          'ok',
        );
      },
    );

    it('A-97 with a credential id of over 1023 bytes is token_invalid; with 1023 it is taken, and signs in', async () => {
      const held = await holder();
      await refusedRegistration(held, { credentialId: base64url(Buffer.alloc(1024, 1)) });
      await refusedRegistration(held, { credentialId: base64url(Buffer.alloc(60_000, 1)) });
      await refusedRegistration(held, { credentialId: '' });
      const longest = await holder({}, held.test);
      // Unlike others of this length: ids are unique among all tests, too.
      const credentialId = base64url(Buffer.concat([Buffer.from(longest.user.id), Buffer.alloc(987, 2)]));
      await register(longest, { credentialId });
      expect((await signIn(longest)).user).toEqual(longest.user);
    });

    it('A-97 with an id that is not the attested one is token_invalid', async () => {
      const held = await registered();
      const other = { ...held, authenticator: softwareAuthenticator() };
      for (const id of [base64url('another id'), held.credential.id]) {
        await refusedRegistration(other, {}, (answer) => ({ ...answer, id, rawId: id }));
        await refusedRegistration(other, {}, (answer) => ({ ...answer, id }));
        await refusedRegistration(other, {}, (answer) => ({ ...answer, rawId: id }));
      }
      // The same bytes in other letters.
      await refusedRegistration(other, {}, (answer) => ({
        ...answer,
        id: `${answer.id}=`,
        rawId: `${answer.id}=`,
      }));
    });

    it('A-97 in a frame that the browser names is token_invalid, whatever it says of crossOrigin', async () => {
      const held = await holder();
      for (const changes of [
        { topOrigin: 'https://evil.test' },
        { crossOrigin: true, topOrigin: 'https://evil.test' },
        { crossOrigin: 'true' },
        { crossOrigin: 1 },
        { crossOrigin: null },
      ]) {
        await refusedRegistration(held, {}, clientData(changes));
      }
      // Older browsers say nothing of it. Nothing signs the client data of a registration.
      await register(held, {}, clientData({ crossOrigin: undefined }));
    });
  });

  describe('at sign-in', () => {
    it.each(lies)('A-97 of %s is token_invalid and leaves nothing', async (_name, lie) => {
      const held = await registered();
      await refusedSignIn(held, lie);
      expect((await signIn(held)).session).toBeDefined();
    });

    it('A-97 of the other ceremony, of an eligibility that changed, or with a forged signature is token_invalid', async () => {
      const held = await registered();
      await refusedSignIn(held, { type: 'webauthn.create' });
      await refusedSignIn(held, { backupEligible: true });
      await refusedSignIn(held, { forged: true });
      const synchronised = await registered({ flags: { backupEligible: true } }, held.test);
      await refusedSignIn(synchronised, { backupEligible: false });
      const edwards = await registered({ algorithm: 'EdDSA' }, held.test);
      await refusedSignIn(edwards, { forged: true });
    });

    it('A-97 with a changed byte in anything that is signed is token_invalid', async () => {
      const held = await registered();
      for (const part of ['authenticatorData', 'signature', 'clientDataJSON'] as const) {
        await refusedSignIn(held, {}, (answer) => {
          const bytes = Buffer.from(answer.response[part], 'base64url');
          bytes[bytes.length - 3]! ^= 1;
          return response({ [part]: base64url(bytes) })(answer);
        });
      }
      await refusedSignIn(held, {}, clientData({ more: 'words' }));
    });

    it('A-97 with a counter that is equal, back, or zero after more is token_invalid, and raises the alarm', async () => {
      const held = await registered({ counter: 10 });
      const { test, credential } = held;
      await signIn(held, undefined, { counter: 20 });
      for (const counter of [20, 19, 11, 1, 0]) {
        const { events } = await refused(held, () => signIn(held, undefined, { counter }));
        expect([counter, events]).toEqual([counter, ['passkey.counter_regressed']]);
      }
      await signIn(held, undefined, { counter: 21 });
      const [{ counter } = { counter: 0 }] = await test.service.webauthn.listCredentials(credential.userId);
      expect(counter).toBe(21);
      await signIn(held, undefined, { counter: 2 ** 32 - 1 });
    });

    it('A-97 with a handle of another user, or of nobody, is token_invalid', async () => {
      const held = await registered();
      const other = await registered({}, held.test);
      for (const userHandle of [base64url(other.user.id), base64url('nobody'), '', held.user.id]) {
        await refusedSignIn(held, { userHandle });
      }
      for (const userHandle of [7, {}, [base64url(held.user.id)], `${base64url(held.user.id)}=`]) {
        await refusedSignIn(held, {}, response({ userHandle }));
      }
    });

    it('A-97 without a handle is token_invalid, unless the user was named before', async () => {
      const held = await registered();
      await refused(held, () => signIn(held, undefined, { userHandle: null }));
      await refused(held, () => signIn(held, undefined, {}, response({ userHandle: null })));
      expect((await signIn(held, held.user.id, { userHandle: null })).user).toEqual(held.user);
      expect((await signIn(held, held.user.id, {}, response({ userHandle: null }))).user).toEqual(held.user);
    });

    it("A-97 with another user's passkey is token_invalid where the user is named", async () => {
      const held = await registered();
      const other = await registered({}, held.test);
      const { webauthn } = held.test.service;
      for (const userHandle of [null, base64url(held.user.id), base64url(other.user.id)]) {
        await refused(held, async () => {
          const { options, challenge } = await webauthn.startAuthentication(held.user.id);
          const answer = other.authenticator.get({ ...options, allowCredentials: [] }, { userHandle });
          await webauthn.finishAuthentication(
            { userId: held.user.id, response: answer, expectedChallenge: challenge },
            { startSession: true },
          );
        });
        expect((await traces(other.user.id)).sessions).toBe(0);
      }
    });

    it('A-97 with an unknown passkey, or the id of another, is token_invalid', async () => {
      const held = await registered();
      const other = await registered({}, held.test);
      const stranger = { ...held, authenticator: softwareAuthenticator() };
      // Registered elsewhere: the store knows nothing of it.
      const elsewhere = await holder({}, held.test);
      stranger.authenticator.create(
        (await held.test.service.webauthn.startRegistration(elsewhere.user.id)).options,
      );
      await refused(held, () => signIn(stranger));
      for (const credentialId of ['', 'AAAA', other.credential.id, 'x'.repeat(100_000), 'nul\0', '\ud800']) {
        await refusedSignIn(held, { credentialId });
      }
    });
  });

  it('A-93 A-97 is logged without the challenge, the key or anything else of the answer', async () => {
    const held = await registered();
    const { test, user } = held;
    const secrets: string[] = [];
    const remembering = (answer: Registration | Authentication) => {
      const { clientDataJSON } = answer.response;
      const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
        challenge: string;
      };
      secrets.push(challenge || clientDataJSON, clientDataJSON);
      return answer;
    };
    await signIn(held, undefined, {}, remembering);
    for (const [, lie] of lies) {
      await outcomeOf(() => signIn(held, undefined, lie, remembering));
      await outcomeOf(() => register({ ...held, authenticator: softwareAuthenticator() }, lie, remembering));
    }
    await outcomeOf(() => signIn(held, undefined, { origin: 'https://planted.test' }));
    await outcomeOf(() => signIn(held, undefined, { type: 'planted' }));
    await outcomeOf(() => signIn(held, undefined, {}, (answer) => ({ ...answer, type: 'planted' })));
    const [credential] = (await traces(user.id)).credentials;
    const lines = JSON.stringify(test.log);
    expect(lines).toContain('passkey_refused');
    expect(secrets.length).toBeGreaterThan(50);
    for (const secret of new Set([...secrets, credential!.publicKey, 'planted']))
      expect(lines).not.toContain(secret);
  });

  it('A-97 ends within 50 milliseconds of work', async () => {
    const held = await registered();
    const other = { ...held, authenticator: softwareAuthenticator() };
    const efforts: number[] = [];
    for (const [, lie] of lies) {
      efforts.push(await effortOf(() => refused(held, () => signIn(held, undefined, lie))));
      efforts.push(await effortOf(() => refused(other, () => register(other, lie))));
    }
    // The median: the collector of garbage is at work in between.
    expect(efforts.sort((a, b) => a - b)[Math.floor(efforts.length / 2)]).toBeLessThan(50);
  });
});
