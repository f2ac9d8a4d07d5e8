// Responses in the shapes that browsers, extensions and password managers send, and that WebAuthn Level 3 does not name.
import { isoBase64URL, isoCBOR, decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { outcomeOf } from '../support/outcomes.js';
import { base64url, passkeyFixtures, withResponse, type ResponseChange } from '../support/passkeys.js';

type Change = ResponseChange<object>;

const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=');

/** Adds the padding to every part, as an encoder of plain base64 does. */
const withPadding: Change = (given) => {
  const { id, rawId, response } = given as { id: string; rawId: string; response: Record<string, unknown> };
  const isBytes = (name: string, value: unknown) => name !== 'publicKey' && typeof value === 'string';
  const parts = Object.entries(response).map(([name, value]) => [
    name,
    isBytes(name, value) ? padded(value as string) : value,
  ]);
  return { ...given, id: padded(id), rawId: padded(rawId), response: Object.fromEntries(parts) as object };
};

const without =
  (...names: string[]): Change =>
  (given) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));

const shapes: [string, Change][] = [
  ['without authenticatorAttachment', without('authenticatorAttachment')],
  ['with authenticatorAttachment null', (given) => ({ ...given, authenticatorAttachment: null })],
  ['with an unknown authenticatorAttachment', (given) => ({ ...given, authenticatorAttachment: 'hybrid' })],
  ['without clientExtensionResults', without('clientExtensionResults')],
  [
    'with the results of extensions that no one asked for',
    (given) => ({
      ...given,
      clientExtensionResults: {
        credProps: { rk: true, authenticatorDisplayName: 'Acme Keys' },
        prf: { enabled: true, results: { first: {} } },
        largeBlob: { supported: false },
        appid: false,
        'vendor.acme': [1, null],
      },
    }),
  ],
  ['with further fields', (given) => ({ ...given, clientData: {}, getClientExtensionResults: {} })],
  ['without rawId', without('rawId')],
  ['with padded base64url', withPadding],
];

const transports: [string, unknown, string[]][] = [
  ['no transports', undefined, []],
  ['transports null', null, []],
  ['empty transports', [], []],
  [
    'unknown transports',
    ['internal', 'smart-card', 'cable', 'teleport'],
    ['internal', 'smart-card', 'cable', 'teleport'],
  ],
  ['malformed transports', ['internal', '', 7, null, 'INTERNAL', 'a b'], ['internal']],
  ['a transport as a string', 'internal', []],
];

describeAdapters('Responses in the shapes of the field', (on) => {
  const { makePasskeys, passkeyUser, register, registeredUser, signIn, signInOutcome } = passkeyFixtures(on);

  it.each(shapes)('registers and signs in with a response %s', async (_name, change) => {
    const holder = await passkeyUser();
    const credential = await register(holder, {}, change);
    expect(credential.id).toBe(holder.authenticator.credentials[0]!.id);
    for (const as of [undefined, holder.user.id])
      expect((await signIn(holder, as, {}, change as never)).user).toEqual(holder.user);
  });

  it.each(transports)(
    'registers a passkey with %s, and offers it at the second step',
    async (_name, given, kept) => {
      const holder = await passkeyUser();
      const credential = await register(holder, {}, withResponse({ transports: given }));
      expect(credential.transports).toEqual(kept);
      const { options } = await holder.test.service.webauthn.startAuthentication(holder.user.id);
      expect(options.allowCredentials).toEqual([{ id: credential.id, type: 'public-key', transports: kept }]);
    },
  );

  it.each([
    ['null', null],
    ['empty, as Safari sends it for a security key', ''],
    ['absent', undefined],
  ])(
    'accepts a user handle that is %s if the user is named, and otherwise not',
    async (_name, userHandle) => {
      const holder = await registeredUser();
      const change = withResponse({ userHandle });
      expect(await signInOutcome(holder, holder.user.id, {}, change)).toBe('ok');
      expect(await signInOutcome(holder, undefined, {}, change)).toBe('token_invalid');
    },
  );

  it.each(['=', '==', '===', '====', '\n'])('refuses incorrect padding: %j', async (end) => {
    const holder = await registeredUser();
    const append: Change = (given) => {
      const { response } = given as { response: { signature: string } };
      // A multiple of four characters needs no padding.
      const text = `${response.signature}${'A'.repeat((4 - (response.signature.length % 4)) % 4)}`;
      return { ...given, response: { ...response, signature: `${text}${end}` } };
    };
    expect(await signInOutcome(holder, undefined, {}, append as never)).toBe('token_invalid');
  });

  it('accepts the counter 0 of a synchronized passkey that counted before, with every later one', async () => {
    const holder = await registeredUser({ counter: 10, flags: { backupEligible: true, backedUp: true } });
    for (const counter of [20, 0, 0, 3])
      expect(await signInOutcome(holder, undefined, { counter })).toBe('ok');
    expect(await signInOutcome(holder, undefined, { counter: 3 })).toBe('token_invalid');
    expect(await holder.test.takeEventNames()).toContain('passkey.counter_regressed');
  });

  it('refuses the counter 0 of a passkey of one device that counted before', async () => {
    const holder = await registeredUser({ counter: 10 });
    expect(await signInOutcome(holder, undefined, { counter: 0 })).toBe('token_invalid');
  });

  it('a passkey that is synchronized later says so after its next use, and one that no longer is, too', async () => {
    const holder = await registeredUser({ flags: { backupEligible: true, backedUp: false } });
    for (const backedUp of [true, false]) {
      await signIn(holder, undefined, { backedUp });
      const [credential] = await holder.test.service.webauthn.listCredentials(holder.user.id);
      expect(credential).toMatchObject({ backupEligible: true, backedUp });
    }
  });

  it.each([
    [{ backupEligible: false }, { backupEligible: true }],
    [{ backupEligible: true }, { backupEligible: false }],
  ])('refuses a change of the backup eligibility: %j to %j, and keeps the passkey', async (first, then) => {
    const holder = await registeredUser({ flags: first });
    expect(await signInOutcome(holder, undefined, then)).toBe('token_invalid');
    expect(await signInOutcome(holder)).toBe('ok');
  });

  it('an attestation of several statements, which no one asked for, counts as none', async () => {
    const holder = await passkeyUser();
    const credential = await register(holder, {}, (answer) => {
      const object = decodeAttestationObject(
        isoBase64URL.toBuffer(answer.response.attestationObject),
      ) as unknown as Map<string, unknown>;
      object.set('fmt', 'compound').set('attStmt', [
        new Map<string, unknown>([
          ['fmt', 'packed'],
          ['attStmt', new Map([['x5c', [new Uint8Array(300)]]])],
        ]),
      ]);
      return withResponse({ attestationObject: base64url(isoCBOR.encode(object as never)) })(answer);
    });
    expect((await signIn(holder)).user.id).toBe(credential.userId);
  });

  it('says that a passkey is unknown only if no user has it', async () => {
    const holder = await registeredUser();
    const { webauthn } = holder.test.service;
    const outcome = async (change: Change) =>
      signIn(holder, undefined, {}, change as never).then(
        () => 'ok',
        (error: { code: string; reason?: string }) => [error.code, error.reason],
      );
    const stranger = await registeredUser({}, holder.test);
    const unknown = softwareAuthenticator();
    unknown.create((await webauthn.startRegistration(holder.user.id)).options);
    const { options, challenge } = await webauthn.startAuthentication();
    const orphan = unknown.get(options);
    await expect(
      webauthn.finishAuthentication({ response: orphan, expectedChallenge: challenge }),
    ).rejects.toMatchObject({ code: 'token_invalid', reason: 'passkey_unknown' });
    // Without a valid challenge nothing is looked up.
    await expect(
      webauthn.finishAuthentication({ response: orphan, expectedChallenge: challenge }),
    ).rejects.not.toHaveProperty('reason', 'passkey_unknown');
    expect(
      await outcome((given) => ({ ...given, id: stranger.credential.id, rawId: stranger.credential.id })),
    ).toEqual(['token_invalid', undefined]);
    expect(await outcome(withResponse({ signature: 'AAAA' }) as Change)).toEqual([
      'token_invalid',
      undefined,
    ]);
    await webauthn.removeCredential(holder.user.id, holder.credential.id);
    expect(await outcome((given) => given)).toEqual(['token_invalid', 'passkey_unknown']);
  });

  it('an automatic registration needs no user presence, and only if it began as one', async () => {
    const test = await makePasskeys();
    const outcome = async (automatic: boolean, userPresent: boolean) => {
      const holder = await passkeyUser({}, test);
      const { options, challenge } = await test.service.webauthn.startRegistration(
        holder.user.id,
        {},
        { automatic },
      );
      expect(options.authenticatorSelection?.residentKey).toBe(automatic ? 'required' : 'preferred');
      const response = holder.authenticator.create(options, { userPresent, userVerified: false });
      const input = { userId: holder.user.id, response, expectedChallenge: challenge };
      const added = await outcomeOf(() => test.service.webauthn.finishRegistration(input));
      // A sign-in always needs it.
      if (added === 'ok') {
        expect(await signInOutcome(holder, undefined, { userPresent: false })).toBe('token_invalid');
        expect(await signInOutcome(holder)).toBe('ok');
      }
      return added;
    };
    expect(await outcome(true, false)).toBe('ok');
    expect(await outcome(true, true)).toBe('ok');
    expect(await outcome(false, true)).toBe('ok');
    expect(await outcome(false, false)).toBe('token_invalid');
  });

  it('an automatic registration needs user verification if the service requires it', async () => {
    const holder = await passkeyUser({}, await makePasskeys({ userVerification: 'required' }));
    const { webauthn } = holder.test.service;
    const { options, challenge } = await webauthn.startRegistration(holder.user.id, {}, { automatic: true });
    const response = holder.authenticator.create(options, { userPresent: false, userVerified: false });
    const input = { userId: holder.user.id, response, expectedChallenge: challenge };
    expect(await outcomeOf(() => webauthn.finishRegistration(input))).toBe('token_invalid');
  });
});
