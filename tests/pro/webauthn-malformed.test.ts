// Passkey responses that no browser sends (docs/security-requirements.md ): malformed
// values, keys and attestations that the library would accept or fail on, and random changes of
// valid responses. Each is rejected with a code and leaves no trace in the store.
import { generateKeyPairSync, sign } from 'node:crypto';
import {
  decodeAttestationObject,
  isoBase64URL,
  isoCBOR,
  parseAuthenticatorData,
} from '@simplewebauthn/server/helpers';
import fc from 'fast-check';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { outcomeOf } from '../support/outcomes.js';
import {
  base64url,
  withClientData,
  clientDataHash,
  passkeyFixtures,
  withResponse,
  type AuthenticationResponse,
  type ResponseChange,
  type RegistrationResponse,
} from '../support/passkeys.js';

const encode = (value: unknown) => base64url(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]));

/** A registration whose attestation object has other entries. */
const attestation =
  (
    change: (object: Map<string, unknown>, answer: RegistrationResponse) => unknown,
  ): ResponseChange<RegistrationResponse> =>
  (answer) => {
    const bytes = isoBase64URL.toBuffer(answer.response.attestationObject);
    const object = decodeAttestationObject(bytes) as unknown as Map<string, unknown>;
    const changed = change(object, answer) ?? object;
    const attestationObject = typeof changed === 'string' ? changed : encode(changed);
    return { ...answer, response: { ...answer.response, attestationObject } };
  };

/** A registration with another public key instead of the valid one at the end. */
const publicKey = (key: Map<number, unknown>) =>
  attestation((object) => {
    const authData = object.get('authData') as Uint8Array;
    const { credentialPublicKey } = parseAuthenticatorData(new Uint8Array(authData));
    const front = authData.slice(0, authData.length - credentialPublicKey!.length);
    const bytes = Buffer.concat([front, Buffer.from(encode(key), 'base64url')]);
    object.set('authData', new Uint8Array(bytes));
  });

/** Ceremony and path of every part of a response that is read. */
const parts = [
  ...['id', 'rawId', 'type', 'response', 'response.clientDataJSON'].flatMap((path) => [
    `create ${path}`,
    `get ${path}`,
  ]),
  'create response.attestationObject',
  'get response.authenticatorData',
  'get response.signature',
  'get response.userHandle',
];

type Mutation = { at: number; bits: number } | { cut: number } | { put: unknown };

/** A copy with one changed part: a byte of it, its length, or all of it. */
function mutated(value: unknown, [name, ...rest]: string[], how: Mutation): unknown {
  if (name !== undefined && typeof value === 'object' && value !== null) {
    const inner = (value as Record<string, unknown>)[name];
    return { ...value, [name]: mutated(inner, rest, how) };
  }
  if ('put' in how) return how.put;
  if (typeof value !== 'string') return null;
  const bytes = Buffer.from(value, 'base64url');
  if ('cut' in how) return base64url(bytes.subarray(0, how.cut % (bytes.length + 1)));
  if (bytes.length > 0) bytes[how.at % bytes.length]! ^= how.bits;
  return base64url(bytes);
}

/** Values that are not the response of a browser. */
const malformedResponses: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['a string', 'x'],
  ['a list', []],
  ['an empty object', {}],
  ['empty parts', { id: '', rawId: '', type: '', response: {} }],
  ['no response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }],
  ['null for a response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: null }],
  ['numbers for strings', { id: 1, rawId: 1, type: 'public-key', response: { clientDataJSON: 1 } }],
  [
    'a length instead of bytes',
    { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { clientDataJSON: { length: 4e9 } } },
  ],
  [
    'prototype keys',
    JSON.parse('{"__proto__":{"id":"x"},"constructor":{"prototype":{}},"response":{"__proto__":null}}'),
  ],
];

describeAdapters('A malformed passkey response', (on) => {
  const { makePasskeys, verifiedUser, passkeyUser, registeredUser, register, signIn, storedTraces } =
    passkeyFixtures(on);
  const { expectRefused, expectRegistrationRefused, expectSignInRefused } = passkeyFixtures(on);

  describe('at registration', () => {
    const keyOf = (label: string) => {
      const { publicKey: key } =
        label === 'RSA'
          ? generateKeyPairSync('rsa', { modulusLength: 1024 })
          : generateKeyPairSync('ec', { namedCurve: label });
      const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
      const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
      return { x: bytes(x), y: bytes(y), n: bytes(n), e: bytes(e) };
    };
    const [p256, p384, rsa] = [keyOf('P-256'), keyOf('P-384'), keyOf('RSA')];
    const wrongKeys: [string, [number, unknown][]][] = [
      [
        'of an algorithm that was not requested',
        [
          [1, 2],
          [3, -35],
          [-1, 2],
          [-2, p384.x],
          [-3, p384.y],
        ],
      ],
      [
        'of another curve than its algorithm has',
        [
          [1, 2],
          [3, -7],
          [-1, 2],
          [-2, p384.x],
          [-3, p384.y],
        ],
      ],
      [
        'of another kind than its algorithm has',
        [
          [1, 2],
          [3, -257],
          [-1, 1],
          [-2, p256.x],
          [-3, p256.y],
        ],
      ],
      [
        'that is not on its curve',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, p256.x],
          [-3, p256.x],
        ],
      ],
      [
        'with a compressed point',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, p256.x],
          [-3, true],
        ],
      ],
      [
        'that is zero',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(32)],
          [-3, new Uint8Array(32)],
        ],
      ],
      [
        'without its second coordinate',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, p256.x],
        ],
      ],
      [
        'with names instead of numbers',
        [
          [1, 'OKP'],
          [3, -8],
          [-1, 'Ed25519'],
          [-2, p256.x],
        ],
      ],
      [
        'of EdDSA that is too short',
        [
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, p256.x.slice(1)],
        ],
      ],
      [
        'of RSA that is too short',
        [
          [1, 3],
          [3, -257],
          [-1, rsa.n],
          [-2, rsa.e],
        ],
      ],
      [
        'of RSA that is too long',
        [
          [1, 3],
          [3, -257],
          [-1, new Uint8Array(4096).fill(255)],
          [-2, rsa.e],
        ],
      ],
      [
        'with additional data',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, p256.x],
          [-3, p256.y],
          [9, new Uint8Array(4096)],
        ],
      ],
      ['without entries', []],
    ];

    //
    it.each(wrongKeys)('rejects a public key %s with token_invalid', async (_name, key) => {
      await expectRegistrationRefused(await passkeyUser(), {}, publicKey(new Map(key)));
    });

    //
    it('accepts an RS256 key of 2048 bits', async () => {
      const passkeyHolder = await passkeyUser();
      const { privateKey, publicKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const { n = '', e = '' } = key.export({ format: 'jwk' });
      const [modulus, exponent] = [n, e].map((text) => new Uint8Array(Buffer.from(text, 'base64url')));
      const cose = new Map<number, unknown>([
        [1, 3],
        [3, -257],
        [-1, modulus],
        [-2, exponent],
      ]);
      await register(passkeyHolder, {}, publicKey(cose));
      const result = await signIn(passkeyHolder, undefined, {}, (answer) => {
        const bytes = Buffer.from(answer.response.authenticatorData, 'base64url');
        const hash = Buffer.from(clientDataHash(answer.response.clientDataJSON));
        return withResponse({
          signature: base64url(sign('sha256', Buffer.concat([bytes, hash]), privateKey)),
        })(answer);
      });
      expect(result.user).toEqual(passkeyHolder.user);
    });

    const attestations: [string, ResponseChange<RegistrationResponse>][] = [
      [
        'with a statement and the format none',
        attestation((all) => void all.set('attStmt', new Map([['x', 1]]))),
      ],
      ['of an unknown format', attestation((all) => void all.set('fmt', 'unknown'))],
      ['of a format that is not a string', attestation((all) => void all.set('fmt', 7))],
      ['without a statement', attestation((all) => void all.delete('attStmt'))],
      ['without data', attestation((all) => void all.delete('authData'))],
      [
        'with truncated data',
        attestation((all) => void all.set('authData', (all.get('authData') as Uint8Array).slice(0, 60))),
      ],
      [
        'with trailing data',
        attestation(
          (all) => void all.set('authData', new Uint8Array([...(all.get('authData') as Uint8Array), 0])),
        ),
      ],
      ['with a string for data', attestation((all) => void all.set('authData', 'x'.repeat(100)))],
      ['that is a list', attestation(() => [1, 2, 3])],
      ['that is a string', attestation(() => encode('none'))],
      [
        'with a duplicate entry',
        attestation(() => base64url(Buffer.from('a263666d74646e6f6e6563666d74646e6f6e65', 'hex'))),
      ],
      ['that is nested too deeply', attestation(() => base64url(Buffer.alloc(40_000, 0x81)))],
      [
        'that announces more entries than it has',
        attestation(() => base64url(Buffer.from('bb7fffffffffffffff', 'hex'))),
      ],
      [
        'that announces more bytes than it has',
        attestation(() => base64url(Buffer.from('5b7fffffffffffffff', 'hex'))),
      ],
      ['that is truncated', attestation(() => base64url(Buffer.from('a3', 'hex')))],
      ['that is empty', attestation(() => '')],
      ['that is not base64url', attestation(() => '!!!!')],
      ['of a megabyte', attestation(() => 'A'.repeat(1_000_000))],
      ['that is a length', withResponse({ attestationObject: { length: 4e9 } })],
      ['with too much padding', attestation((all) => `${encode(all)}====`)],
      [
        'signed by an unrelated key',
        attestation((all) => {
          const sig = new Uint8Array(
            sign('sha256', Buffer.from('x'), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
          );
          all.set('fmt', 'packed').set(
            'attStmt',
            new Map<string, unknown>([
              ['alg', -7],
              ['sig', sig],
            ]),
          );
        }),
      ],
    ];

    //
    it.each(attestations)('rejects an attestation %s with token_invalid', async (_name, change) => {
      await expectRegistrationRefused(await passkeyUser(), {}, change);
    });

    //
    it.each(['packed', 'tpm', 'android-key', 'android-safetynet', 'fido-u2f', 'apple'])(
      'an attestation of %s with certificates, which no one asked for, counts as none and is not read',
      async (format) => {
        const passkeyHolder = await passkeyUser();
        const statement = new Map<string, unknown>([
          ['alg', -7],
          ['sig', new Uint8Array(70)],
          ['x5c', [new Uint8Array(500)]],
        ]);
        const change = attestation((all) => void all.set('fmt', format).set('attStmt', statement));
        const credential = await register(passkeyHolder, {}, change);
        expect(credential.id).toEqual(expect.any(String));
      },
    );

    //
    it('rejects oversized client data with token_invalid, although nothing signs them', async () => {
      const passkeyHolder = await passkeyUser();
      await expectRegistrationRefused(passkeyHolder, {}, withClientData({ more: 'x'.repeat(60_000) }));
      await register(passkeyHolder, {}, withClientData({ more: 'x'.repeat(6000) }));
    });

    //
    it('accepts an attestation by the new key itself, as browsers may send it', async () => {
      const passkeyHolder = await passkeyUser();
      const credential = await register(
        passkeyHolder,
        {},
        attestation((all, answer) => {
          const { privateKey } = passkeyHolder.authenticator.credentials.at(-1)!;
          const hash = clientDataHash(answer.response.clientDataJSON);
          const sig = new Uint8Array(
            sign('sha256', Buffer.concat([all.get('authData') as Uint8Array, hash]), privateKey),
          );
          all.set('fmt', 'packed').set(
            'attStmt',
            new Map<string, unknown>([
              ['alg', -7],
              ['sig', sig],
            ]),
          );
        }),
      );
      expect((await signIn(passkeyHolder)).user.id).toBe(credential.userId);
    });
  });

  describe('in any other form', () => {
    const inputs = malformedResponses.flatMap(([name, answer]): [string, unknown][] => [
      [name, answer],
      [`${name}, in the response`, { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: answer }],
    ]);

    //
    it.each(inputs)('rejects a response with %s with token_invalid', async (_name, answer) => {
      const passkeyHolder = await registeredUser();
      await expectRefused(passkeyHolder, () => signIn(passkeyHolder, undefined, {}, () => answer));
      await expectRefused(passkeyHolder, () =>
        register({ ...passkeyHolder, authenticator: softwareAuthenticator() }, {}, () => answer),
      );
    });

    //
    it.each([
      ['JSON that is nested too deeply', '['.repeat(60_000)],
      ['JSON null', 'null'],
      ['malformed JSON', 'x'],
      ['malformed UTF-8', Buffer.from([0xff, 0xfe, 0xfd])],
      ['a byte order mark', '\ufeff{}'],
      ['prototype keys', '{"__proto__":{"type":"webauthn.get"}}'],
    ])('rejects client data with %s with token_invalid', async (_name, text) => {
      const passkeyHolder = await registeredUser();
      const change = withResponse({ clientDataJSON: base64url(text) });
      await expectSignInRefused(passkeyHolder, {}, change);
      await expectRegistrationRefused(
        { ...passkeyHolder, authenticator: softwareAuthenticator() },
        {},
        change,
      );
    });

    //
    it('rejects a malformed input with a code', async () => {
      const passkeyHolder = await registeredUser();
      const { webauthn } = passkeyHolder.test.service;
      for (const input of [undefined, null, 7, 'x', []]) {
        expect(await outcomeOf(() => webauthn.finishRegistration(input as never))).toBe('invalid_request');
        expect(await outcomeOf(() => webauthn.finishAuthentication(input as never))).toBe('invalid_request');
      }
      expect(await outcomeOf(() => webauthn.finishRegistration({} as never))).toBe('user_not_found');
      expect(await outcomeOf(() => webauthn.finishAuthentication({} as never))).toBe('token_invalid');
      const { options, challenge } = await webauthn.startAuthentication();
      const assertion = passkeyHolder.authenticator.get(options);
      for (const expectedChallenge of [
        undefined,
        null,
        '',
        7,
        {},
        [challenge],
        `${challenge}=`,
        'x'.repeat(1_000_000),
      ]) {
        const input = { response: assertion, expectedChallenge: expectedChallenge as string };
        expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
        expect(
          await outcomeOf(() =>
            webauthn.finishRegistration({ ...(input as object), userId: passkeyHolder.user.id } as never),
          ),
        ).toBe('token_invalid');
      }
      for (const userId of [null, 7, {}, [passkeyHolder.user.id], '*', '']) {
        const input = { userId, response: assertion, expectedChallenge: challenge } as never;
        expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
      }
    });
  });

  //
  it('rejects a random change of a valid response with token_invalid', async () => {
    const test = await makePasskeys();
    const user = await verifiedUser(test);
    const passkeyHolder = { test, user, authenticator: softwareAuthenticator() };
    await register(passkeyHolder);
    const before = await storedTraces(user.id);
    const mutation = fc.record({
      part: fc.constantFrom(...parts),
      how: fc.oneof(
        fc.record({ at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }),
        fc.record({ cut: fc.nat() }),
        fc.record({ put: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.base64String()) }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ part, how }) => {
        // Registrations are limited to 30 in 15 minutes per user.
        passkeyHolder.test.clock.advance(60_000);
        const [ceremony = '', path = ''] = part.split(' ');
        let same = false;
        const change = (answer: RegistrationResponse | AuthenticationResponse) => {
          const changed = mutated(answer, path.split('.'), how);
          same = JSON.stringify(changed) === JSON.stringify(answer);
          return changed;
        };
        const stranger = { ...passkeyHolder, authenticator: softwareAuthenticator() };
        const outcome = await outcomeOf(() =>
          ceremony === 'get'
            ? signIn(passkeyHolder, undefined, {}, change, {})
            : register(stranger, {}, change),
        );
        // The attestation of a new key is unsigned: a changed byte may create another key, or
        // another model.
        const isUnsigned = ceremony === 'create' && /attestation|clientData/.test(path);
        const allowed = same || isUnsigned ? ['ok', 'token_invalid'] : ['token_invalid'];
        expect(allowed).toContain(outcome);
      }),
      { seed: 97, numRuns: 150 },
    );
    const { credentials } = await storedTraces(user.id);
    expect(credentials[0]).toMatchObject({
      id: before.credentials[0]!.id,
      publicKey: before.credentials[0]!.publicKey,
    });
  });
});
