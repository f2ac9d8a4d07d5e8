// Answers of authenticators, changed by chance: in their text, their bytes, their flags and their CBOR. None that says anything else
// than the good one signs in, and none that is no answer makes a key.
import { isDeepStrictEqual } from 'node:util';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import fc from 'fast-check';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../../support/describe-adapters.js';
import { base64url, passkeys, type Authentication, type Registration } from '../../support/passkeys.js';
import { anyJson, anyMutations, anyValue, mutate, type Mutation } from './arbitraries.js';
import { holds, storages } from './pass.js';

const bytesOf = (text: unknown) =>
  typeof text === 'string' ? Buffer.from(text, 'base64url').toString('hex') : text;

/** How the text of one part is changed: as text, or in the JSON or the authenticator's data that it stands for. */
type Change =
  | { part: string; text: readonly Mutation[] }
  | { part: string; put: unknown }
  | { part: 'clientDataJSON'; name: string; value: unknown }
  | { part: 'authenticatorData'; at: number; byte: number; tail: Uint8Array };

const parts = [
  'id',
  'rawId',
  'type',
  'clientDataJSON',
  'authenticatorData',
  'signature',
  'userHandle',
  'attestationObject',
];
const part = fc.constantFrom(...parts);
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ part, text: anyMutations }),
  fc.record({ part, put: anyValue }),
  fc.record({
    part: fc.constant('clientDataJSON' as const),
    name: fc.constantFrom(
      'type',
      'challenge',
      'origin',
      'crossOrigin',
      'topOrigin',
      'tokenBinding',
      '__proto__',
    ),
    value: fc.oneof(
      anyJson,
      fc.constantFrom<unknown>('webauthn.create', 'webauthn.get', 'https://acme.test', true),
    ),
  }),
  // Byte 32 holds the flags, the four after it the counter.
  fc.record({
    part: fc.constant('authenticatorData' as const),
    at: fc.oneof(fc.constant(32), fc.nat(36)),
    byte: fc.nat(255),
    tail: fc.uint8Array({ maxLength: 40 }),
  }),
);

function changed(answer: Authentication | Registration, change: Change): unknown {
  const inside = answer.response as unknown as Record<string, string>;
  const own = answer as unknown as Record<string, string>;
  const before = inside[change.part] ?? own[change.part] ?? '';
  const after = newValue(before, change);
  return change.part in own
    ? { ...answer, [change.part]: after }
    : { ...answer, response: { ...inside, [change.part]: after } };
}

function newValue(before: string, change: Change): unknown {
  if ('text' in change) return mutate(before, change.text);
  if ('put' in change) return change.put;
  if ('name' in change) {
    const said = JSON.parse(Buffer.from(before, 'base64url').toString()) as object;
    return base64url(
      JSON.stringify(Object.fromEntries([...Object.entries(said), [change.name, change.value]])),
    );
  }
  const bytes = Buffer.from(before, 'base64url');
  if (bytes.length > change.at) bytes[change.at] = change.byte;
  return base64url(Buffer.concat([bytes, change.tail]));
}

/** All that is signed, and which key it is said to be signed with. */
const meaning = (answer: unknown) => {
  const { id, rawId, type, response } = (answer ?? {}) as Partial<Authentication>;
  const { clientDataJSON, authenticatorData, signature } = (response ?? {}) as Partial<
    Authentication['response']
  >;
  const [said, data, signed] = [clientDataJSON, authenticatorData, signature].map(bytesOf);
  return [id, rawId, type, said, data, typeof signed === 'string' ? ecdsa(signed) : signed];
};

/** The two numbers of a signature (RFC 3279, 2.2.3). What stands behind them signs nothing, and the library does not look at it. */
const ecdsa = (hex: string) => hex.slice(0, 4 + 2 * parseInt(hex.slice(2, 4), 16));

const cborValue = fc.oneof(
  fc.constantFrom<unknown>(
    'none',
    'packed',
    'fido-u2f',
    'tpm',
    'apple',
    'android-key',
    'android-safetynet',
    new Map(),
    '',
  ),
  fc.uint8Array({ maxLength: 300 }),
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.string({ maxLength: 30 }),
);

describeAdapters(
  'The answer of an authenticator',
  (on) => {
    const { makePasskeys, verifiedUser, register, registerOutcome, signInOutcome, traces } = passkeys(on);

    async function opened() {
      const test = await makePasskeys();
      const held = { test, user: await verifiedUser(test), authenticator: softwareAuthenticator() };
      await register(held);
      return held;
    }
    let held: Awaited<ReturnType<typeof opened>>;
    beforeAll(async () => void (held = await opened()));

    holds(
      'signs in where it says what was signed, and not otherwise',
      () =>
        fc.asyncProperty(anyChange, async (change) => {
          held.test.clock.advance(60_000);
          let isSame = true;
          const outcome = await signInOutcome(
            held,
            undefined,
            {},
            (answer) => {
              const other = changed(answer, change);
              isSame = isDeepStrictEqual(meaning(other), meaning(answer));
              return other;
            },
            {},
          );
          expect(isSame ? ['ok', 'token_invalid'] : ['token_invalid']).toContain(outcome);
        }),
      { runs: 300 },
    );

    holds(
      'makes a key or is refused, whatever its attestation is made of',
      () =>
        fc.asyncProperty(
          fc.oneof(
            anyChange,
            fc.array(fc.tuple(fc.constantFrom('fmt', 'attStmt', 'authData', 'x'), cborValue), {
              maxLength: 4,
            }),
          ),
          async (change) => {
            held.test.clock.advance(60_000);
            const stranger = { ...held, authenticator: softwareAuthenticator() };
            const outcome = await registerOutcome(stranger, {}, (answer) => {
              if (!Array.isArray(change)) return changed(answer, change);
              const attestationObject = base64url(isoCBOR.encode(new Map(change) as never));
              return { ...answer, response: { ...answer.response, attestationObject } };
            });
            expect(['ok', 'token_invalid', 'invalid_request']).toContain(outcome);
            const { credentials } = await traces(held.user.id);
            if (outcome === 'ok')
              await held.test.service.webauthn.removeCredential(held.user.id, credentials.at(-1)!.id);
            else expect(credentials).toHaveLength(1);
          },
        ),
      { runs: 150 },
    );

    it('still is good as it is', async () => {
      held.test.clock.advance(60_000);
      expect(await signInOutcome(held, undefined, {}, (answer) => answer, {})).toBe('ok');
    });
  },
  storages,
);
