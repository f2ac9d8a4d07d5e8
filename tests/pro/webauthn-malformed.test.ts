// Passkeys: answers that no browser gives (docs/security-requirements.md ). Rubbish of every kind, keys and attestations
// that the library would take or choke on, and real answers changed by chance: an error of ours, and no trace in the store.
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
  clientData,
  clientDataHash,
  passkeys,
  response,
  type Authentication,
  type Change,
  type Registration,
} from '../support/passkeys.js';

const encode = (value: unknown) => base64url(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]));

/** A registration whose attestation object has other entries. */
const attestation =
  (change: (object: Map<string, unknown>, answer: Registration) => unknown): Change<Registration> =>
  (answer) => {
    const bytes = isoBase64URL.toBuffer(answer.response.attestationObject);
    const object = decodeAttestationObject(bytes) as unknown as Map<string, unknown>;
    const changed = change(object, answer) ?? object;
    const attestationObject = typeof changed === 'string' ? changed : encode(changed);
    return { ...answer, response: { ...answer.response, attestationObject } };
  };

/** A registration whose public key is another, in place of the honest one at the end. */
const publicKey = (key: Map<number, unknown>) =>
  attestation((object) => {
    const authData = object.get('authData') as Uint8Array;
    const { credentialPublicKey } = parseAuthenticatorData(new Uint8Array(authData));
    const front = authData.slice(0, authData.length - credentialPublicKey!.length);
    const bytes = Buffer.concat([front, Buffer.from(encode(key), 'base64url')]);
    object.set('authData', new Uint8Array(bytes));
  });

/** Ceremony and place of everything in an answer that is looked at. */
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

/** A copy in which one part is changed: a byte of it, its length, or all of it. */
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

/** What is no answer of a browser, whatever it was made by. */
const rubbish: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['a text', 'x'],
  ['a list', []],
  ['nothing in it', {}],
  ['empty parts', { id: '', rawId: '', type: '', response: {} }],
  ['no response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }],
  ['null for a response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: null }],
  ['numbers for texts', { id: 1, rawId: 1, type: 'public-key', response: { clientDataJSON: 1 } }],
  [
    'a length in place of bytes',
    { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { clientDataJSON: { length: 4e9 } } },
  ],
  [
    'prototype keys',
    JSON.parse('{"__proto__":{"id":"x"},"constructor":{"prototype":{}},"response":{"__proto__":null}}'),
  ],
];

describeAdapters('A malformed answer of a passkey', (on) => {
  const { makePasskeys, verifiedUser, holder, registered, register, signIn, traces } = passkeys(on);
  const { refused, refusedRegistration, refusedSignIn } = passkeys(on);

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
        'of an algorithm that was not asked for',
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
        'that is no point of its curve',
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
        'that is a zero',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(32)],
          [-3, new Uint8Array(32)],
        ],
      ],
      [
        'without its second half',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, p256.x],
        ],
      ],
      [
        'with names for numbers',
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
        'with a load on top',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, p256.x],
          [-3, p256.y],
          [9, new Uint8Array(4096)],
        ],
      ],
      ['with nothing in it', []],
    ];

    it.each(wrongKeys)('A-97 with a public key %s is token_invalid', async (_name, key) => {
      await refusedRegistration(await holder(), {}, publicKey(new Map(key)));
    });

    it('A-97 with a key of RS256 of 2048 bits is taken, and signs in', async () => {
      const held = await holder();
      const { privateKey, publicKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const { n = '', e = '' } = key.export({ format: 'jwk' });
      const [modulus, exponent] = [n, e].map((text) => new Uint8Array(Buffer.from(text, 'base64url')));
      const cose = new Map<number, unknown>([
        [1, 3],
        [3, -257],
        [-1, modulus],
        [-2, exponent],
      ]);
      await register(held, {}, publicKey(cose));
      const result = await signIn(held, undefined, {}, (answer) => {
        const bytes = Buffer.from(answer.response.authenticatorData, 'base64url');
        const hash = Buffer.from(clientDataHash(answer.response.clientDataJSON));
        return response({ signature: base64url(sign('sha256', Buffer.concat([bytes, hash]), privateKey)) })(
          answer,
        );
      });
      expect(result.user).toEqual(held.user);
    });

    const attestations: [string, Change<Registration>][] = [
      [
        'with a statement and the format none',
        attestation((all) => void all.set('attStmt', new Map([['x', 1]]))),
      ],
      ['of a format that nobody knows', attestation((all) => void all.set('fmt', 'unknown'))],
      ['of a format that is no text', attestation((all) => void all.set('fmt', 7))],
      ['without a statement', attestation((all) => void all.delete('attStmt'))],
      ['without data', attestation((all) => void all.delete('authData'))],
      [
        'with data that end early',
        attestation((all) => void all.set('authData', (all.get('authData') as Uint8Array).slice(0, 60))),
      ],
      [
        'with data that go on',
        attestation(
          (all) => void all.set('authData', new Uint8Array([...(all.get('authData') as Uint8Array), 0])),
        ),
      ],
      ['with text for data', attestation((all) => void all.set('authData', 'x'.repeat(100)))],
      ['that is a list', attestation(() => [1, 2, 3])],
      ['that is a text', attestation(() => encode('none'))],
      [
        'that names a thing twice',
        attestation(() => base64url(Buffer.from('a263666d74646e6f6e6563666d74646e6f6e65', 'hex'))),
      ],
      ['that nests without end', attestation(() => base64url(Buffer.alloc(40_000, 0x81)))],
      [
        'that announces more than there is',
        attestation(() => base64url(Buffer.from('bb7fffffffffffffff', 'hex'))),
      ],
      [
        'that announces bytes without end',
        attestation(() => base64url(Buffer.from('5b7fffffffffffffff', 'hex'))),
      ],
      ['that is broken off', attestation(() => base64url(Buffer.from('a3', 'hex')))],
      ['that is empty', attestation(() => '')],
      ['that is no base64url', attestation(() => '!!!!')],
      ['of a megabyte', attestation(() => 'A'.repeat(1_000_000))],
      ['that is a length', response({ attestationObject: { length: 4e9 } })],
      ['with padding', attestation((all) => `${encode(all)}=`)],
      [
        'signed by another key of its own',
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

    it.each(attestations)('A-97 with an attestation %s is token_invalid', async (_name, change) => {
      await refusedRegistration(await holder(), {}, change);
    });

    it.each(['packed', 'tpm', 'android-key', 'android-safetynet', 'fido-u2f', 'apple'])(
      'A-97 with the certificates of %s is token_invalid before anything reads them',
      async (format) => {
        const held = await holder();
        const statement = new Map<string, unknown>([
          ['alg', -7],
          ['sig', new Uint8Array(70)],
          ['x5c', [new Uint8Array(500)]],
        ]);
        const change = attestation((all) => void all.set('fmt', format).set('attStmt', statement));
        await refusedRegistration(held, {}, change);
        expect(held.test.log.at(-1)).toMatchObject({
          fields: { event: 'passkey_refused', reason: 'The attestation is not the one that was asked for.' },
        });
      },
    );

    it('A-97 with client data that go on and on is token_invalid, though nothing signs them', async () => {
      const held = await holder();
      await refusedRegistration(held, {}, clientData({ more: 'x'.repeat(60_000) }));
      await register(held, {}, clientData({ more: 'x'.repeat(6000) }));
    });

    it('A-97 attested by the new key itself, as browsers leave it, is taken', async () => {
      const held = await holder();
      const credential = await register(
        held,
        {},
        attestation((all, answer) => {
          const { privateKey } = held.authenticator.credentials.at(-1)!;
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
      expect((await signIn(held)).user.id).toBe(credential.userId);
    });
  });

  describe('in any other form', () => {
    const inputs = rubbish.flatMap(([name, answer]): [string, unknown][] => [
      [name, answer],
      [`${name}, two floors down`, { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: answer }],
    ]);

    it.each(inputs)('A-97 A-80 an answer with %s is token_invalid', async (_name, answer) => {
      const held = await registered();
      await refused(held, () => signIn(held, undefined, {}, () => answer));
      await refused(held, () =>
        register({ ...held, authenticator: softwareAuthenticator() }, {}, () => answer),
      );
    });

    it.each([
      ['JSON without end', '['.repeat(60_000)],
      ['JSON of nothing', 'null'],
      ['no JSON', 'x'],
      ['no text', Buffer.from([0xff, 0xfe, 0xfd])],
      ['a mark before it', '\ufeff{}'],
      ['prototype keys', '{"__proto__":{"type":"webauthn.get"}}'],
    ])('A-97 A-82 client data of %s are token_invalid', async (_name, text) => {
      const held = await registered();
      const change = response({ clientDataJSON: base64url(text) });
      await refusedSignIn(held, {}, change);
      await refusedRegistration({ ...held, authenticator: softwareAuthenticator() }, {}, change);
    });

    it('A-97 A-80 an input that is none is an error of ours', async () => {
      const held = await registered();
      const { webauthn } = held.test.service;
      for (const input of [undefined, null, 7, 'x', []]) {
        expect(await outcomeOf(() => webauthn.finishRegistration(input as never))).toBe('invalid_request');
        expect(await outcomeOf(() => webauthn.finishAuthentication(input as never))).toBe('invalid_request');
      }
      expect(await outcomeOf(() => webauthn.finishRegistration({} as never))).toBe('user_not_found');
      expect(await outcomeOf(() => webauthn.finishAuthentication({} as never))).toBe('token_invalid');
      const { options, challenge } = await webauthn.startAuthentication();
      const answer = held.authenticator.get(options);
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
        const input = { response: answer, expectedChallenge: expectedChallenge as string };
        expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
        expect(
          await outcomeOf(() =>
            webauthn.finishRegistration({ ...(input as object), userId: held.user.id } as never),
          ),
        ).toBe('token_invalid');
      }
      for (const userId of [null, 7, {}, [held.user.id], '*', '']) {
        const input = { userId, response: answer, expectedChallenge: challenge } as never;
        expect(await outcomeOf(() => webauthn.finishAuthentication(input))).toBe('token_invalid');
      }
    });
  });

  it('A-97 A-80 made up by chance is token_invalid, whatever is changed in a real answer', async () => {
    const test = await makePasskeys();
    const user = await verifiedUser(test);
    const held = { test, user, authenticator: softwareAuthenticator() };
    await register(held);
    const before = await traces(user.id);
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
        // Whoever registers is limited to 30 in 15 minutes.
        held.test.clock.advance(60_000);
        const [ceremony = '', path = ''] = part.split(' ');
        let same = false;
        const change = (answer: Registration | Authentication) => {
          const changed = mutated(answer, path.split('.'), how);
          same = JSON.stringify(changed) === JSON.stringify(answer);
          return changed;
        };
        const stranger = { ...held, authenticator: softwareAuthenticator() };
        const outcome = await outcomeOf(() =>
          ceremony === 'get' ? signIn(held, undefined, {}, change, {}) : register(stranger, {}, change),
        );
        // The attestation of a new key is signed by nobody: a changed byte may make another key, or another model.
        const isUnsigned = ceremony === 'create' && /attestation|clientData/.test(path);
        const allowed = same || isUnsigned ? ['ok', 'token_invalid'] : ['token_invalid'];
        expect(allowed).toContain(outcome);
      }),
      { seed: 97, numRuns: 150 },
    );
    const { credentials } = await traces(user.id);
    expect(credentials[0]).toMatchObject({
      id: before.credentials[0]!.id,
      publicKey: before.credentials[0]!.publicKey,
    });
  }, 60_000);
});
