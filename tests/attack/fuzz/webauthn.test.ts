// Mutated authenticator responses, in their JSON, bytes, flags and CBOR. A response that differs in meaning from the valid one does
// not sign in, and a malformed one registers no key.
import { isDeepStrictEqual } from 'node:util';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import fc from 'fast-check';
import { softwareAuthenticator } from 'svc-auth/testing';
import { describeAdapters } from '../../support/describe-adapters.js';
import {
  base64url,
  passkeyFixtures,
  type AuthenticationResponse,
  type RegistrationResponse,
} from '../../support/passkeys.js';
import { anyJson, anyMutations, anyValue, mutate, type Mutation } from './arbitraries.js';
import { itHolds, storages } from './pass.js';

const bytesOf = (text: unknown) =>
  typeof text === 'string' ? Buffer.from(text, 'base64url').toString('hex') : text;

/** A mutation of one part of a response: of its string, or of the JSON or the authenticator data that it encodes. */
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
  // Byte 32 contains the flags, the four after it the counter.
  fc.record({
    part: fc.constant('authenticatorData' as const),
    at: fc.oneof(fc.constant(32), fc.nat(36)),
    byte: fc.nat(255),
    tail: fc.uint8Array({ maxLength: 40 }),
  }),
);

function changed(response: AuthenticationResponse | RegistrationResponse, change: Change): unknown {
  const inside = response.response as unknown as Record<string, string>;
  const outer = response as unknown as Record<string, string>;
  const before = inside[change.part] ?? outer[change.part] ?? '';
  const after = newValue(before, change);
  return change.part in outer
    ? { ...response, [change.part]: after }
    : { ...response, response: { ...inside, [change.part]: after } };
}

function newValue(before: string, change: Change): unknown {
  if ('text' in change) return mutate(before, change.text);
  if ('put' in change) return change.put;
  if ('name' in change) {
    const clientData = JSON.parse(Buffer.from(before, 'base64url').toString()) as object;
    return base64url(
      JSON.stringify(Object.fromEntries([...Object.entries(clientData), [change.name, change.value]])),
    );
  }
  const bytes = Buffer.from(before, 'base64url');
  if (bytes.length > change.at) bytes[change.at] = change.byte;
  return base64url(Buffer.concat([bytes, change.tail]));
}

/** Everything that is signed, and the key that the response names. */
const meaning = (answer: unknown) => {
  const { id, rawId, type, response } = (answer ?? {}) as Partial<AuthenticationResponse>;
  const { clientDataJSON, authenticatorData, signature } = (response ?? {}) as Partial<
    AuthenticationResponse['response']
  >;
  const [client, data, signed] = [clientDataJSON, authenticatorData, signature].map(bytesOf);
  return [id, rawId, type, client, data, typeof signed === 'string' ? ecdsa(signed) : signed];
};

/** The two integers of a signature (RFC 3279, 2.2.3). Bytes behind them are not signed, and the library ignores them. */
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
  'Authenticator response',
  (on) => {
    const { makePasskeys, verifiedUser, register, registerOutcome, signInOutcome, storedTraces } =
      passkeyFixtures(on);

    async function openContext() {
      const test = await makePasskeys();
      const context = { test, user: await verifiedUser(test), authenticator: softwareAuthenticator() };
      await register(context);
      return context;
    }
    let context: Awaited<ReturnType<typeof openContext>>;
    beforeAll(async () => void (context = await openContext()));

    itHolds(
      'accepts a mutated response only if it has the meaning of the signed one',
      () =>
        fc.asyncProperty(anyChange, async (change) => {
          context.test.clock.advance(60_000);
          let isSame = true;
          const outcome = await signInOutcome(
            context,
            undefined,
            {},
            (response) => {
              const other = changed(response, change);
              isSame = isDeepStrictEqual(meaning(other), meaning(response));
              return other;
            },
            {},
          );
          expect(isSame ? ['ok', 'token_invalid'] : ['token_invalid']).toContain(outcome);
        }),
      { runs: 300 },
    );

    itHolds(
      'registers a key or returns a documented error for any attestation',
      () =>
        fc.asyncProperty(
          fc.oneof(
            anyChange,
            fc.array(fc.tuple(fc.constantFrom('fmt', 'attStmt', 'authData', 'x'), cborValue), {
              maxLength: 4,
            }),
          ),
          async (change) => {
            context.test.clock.advance(60_000);
            const stranger = { ...context, authenticator: softwareAuthenticator() };
            const outcome = await registerOutcome(stranger, {}, (response) => {
              if (!Array.isArray(change)) return changed(response, change);
              const attestationObject = base64url(isoCBOR.encode(new Map(change) as never));
              return { ...response, response: { ...response.response, attestationObject } };
            });
            expect(['ok', 'token_invalid', 'invalid_request']).toContain(outcome);
            const { credentials } = await storedTraces(context.user.id);
            if (outcome === 'ok')
              await context.test.service.webauthn.removeCredential(context.user.id, credentials.at(-1)!.id);
            else expect(credentials).toHaveLength(1);
          },
        ),
      { runs: 150 },
    );

    it('accepts the unchanged response after all rejections', async () => {
      context.test.clock.advance(60_000);
      expect(await signInOutcome(context, undefined, {}, (response) => response, {})).toBe('ok');
    });
  },
  storages,
);
