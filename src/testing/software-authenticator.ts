/**
 * An authenticator in software, for tests of passkeys without a browser: real keys, real signatures, real CBOR, and lies on
 * demand. Its answers are what `navigator.credentials` gives, as JSON.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type * as WebAuthn from '@simplewebauthn/server';
import { loadCbor } from '../runtime/load.js';

export interface SoftwareAuthenticatorOptions {
  /** Of new keys. Default `ES256`. */
  algorithm?: 'ES256' | 'EdDSA';
  /** The page that asks. Default `https://<rpId>`. */
  origin?: string;
  /** What it says of itself, each time, unless a lie says otherwise. By default a person was present and verified. */
  flags?: AuthenticatorFlags;
  /** The counter of new keys; every use raises it by one. 0 does not count, as with synchronised passkeys. Default 1. */
  counter?: number;
}

export interface AuthenticatorFlags {
  userPresent?: boolean;
  userVerified?: boolean;
  backupEligible?: boolean;
  backedUp?: boolean;
}

/** What one answer says in place of the truth. */
export interface AuthenticatorLie extends AuthenticatorFlags {
  origin?: string;
  challenge?: string;
  /** The domain whose hash is signed. */
  rpId?: string;
  type?: string;
  crossOrigin?: boolean;
  counter?: number;
  /** Another user's handle; null for none. */
  userHandle?: string | null;
  /** base64url. At registration it is attested, too. */
  credentialId?: string;
  /** Signs with another key. */
  forged?: boolean;
}

/** A key that the authenticator holds. */
export interface SoftwareCredential {
  id: string;
  rpId: string;
  userHandle: string;
  counter: number;
  readonly privateKey: KeyObject;
}

export interface SoftwareAuthenticator {
  /** Every key, oldest first. */
  readonly credentials: SoftwareCredential[];
  /**
   * Answers `startRegistration` with a new key, which it keeps even where the answer is a lie.
   * @throws Error as a browser rejects: where it holds an excluded key, or where keys of its algorithm are not asked for.
   */
  create(
    options: WebAuthn.PublicKeyCredentialCreationOptionsJSON,
    lie?: AuthenticatorLie,
  ): WebAuthn.RegistrationResponseJSON;
  /** Answers `startAuthentication` with the newest key that is asked for. @throws Error where there is none. */
  get(
    options: WebAuthn.PublicKeyCredentialRequestOptionsJSON,
    lie?: AuthenticatorLie,
  ): WebAuthn.AuthenticationResponseJSON;
}

const coseAlgorithms = { ES256: -7, EdDSA: -8 };

/**
 * Hand its answers to `finishRegistration` and `finishAuthentication`, or post them to your own routes:
 *
 *     const authenticator = softwareAuthenticator({ origin: 'https://acme.test' });
 *     const { options, challenge } = await service.webauthn.startRegistration(user.id);
 *     const response = authenticator.create(options);
 *     await service.webauthn.finishRegistration({ userId: user.id, response, expectedChallenge: challenge });
 *
 * A second argument makes one answer lie, for the tests of what must be refused: `create(options, { origin: 'https://evil.test' })`.
 */
export function softwareAuthenticator(options: SoftwareAuthenticatorOptions = {}): SoftwareAuthenticator {
  const { algorithm = 'ES256', origin, flags = {}, counter: firstCounter = 1 } = options;
  const credentials: SoftwareCredential[] = [];

  function clientData(type: string, challenge: string, rpId: string, lie: AuthenticatorLie): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lie.type ?? type,
        challenge: lie.challenge ?? challenge,
        origin: lie.origin ?? origin ?? `https://${rpId}`,
        crossOrigin: lie.crossOrigin ?? false,
      }),
    );
  }

  function authenticatorData(
    rpId: string,
    counter: number,
    lie: AuthenticatorLie,
    attested?: Buffer,
  ): Buffer {
    const rpIdHash = createHash('sha256')
      .update(lie.rpId ?? rpId)
      .digest();
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const bits = flagBits(
      { userPresent: true, userVerified: true, ...flags, ...lie },
      attested !== undefined,
    );
    return Buffer.concat([rpIdHash, Buffer.from([bits]), count, attested ?? Buffer.alloc(0)]);
  }

  return {
    credentials,
    create({ challenge, rp, user, pubKeyCredParams, excludeCredentials = [] }, lie = {}) {
      if (!pubKeyCredParams.some(({ alg }) => alg === coseAlgorithms[algorithm]))
        throw new Error('Keys of this algorithm are not asked for.');
      const excluded = new Set(excludeCredentials.map(({ id }) => id));
      // With a given id it plays an authenticator that takes no notice.
      if (lie.credentialId === undefined && credentials.some(({ id }) => excluded.has(id)))
        throw new Error('This authenticator holds a key that is excluded.');
      const { privateKey, coseKey } = newKey(algorithm);
      const rpId = rp.id ?? '';
      const id = lie.credentialId ?? randomBytes(32).toString('base64url');
      const counter = lie.counter ?? firstCounter;
      credentials.push({ id, rpId, userHandle: user.id, counter, privateKey });
      const idBytes = Buffer.from(id, 'base64url');
      const idLength = Buffer.alloc(2);
      idLength.writeUInt16BE(idBytes.length);
      const attested = Buffer.concat([Buffer.alloc(16), idLength, idBytes, coseKey]);
      const authData = new Uint8Array(authenticatorData(rpId, counter, lie, attested));
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, rpId, lie).toString('base64url'),
          attestationObject: encode(attestation).toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get({ challenge, rpId = '', allowCredentials = [] }, lie = {}) {
      const asked = new Set(allowCredentials.map(({ id }) => id));
      const credential = credentials.findLast(
        (each) => each.rpId === rpId && (asked.size === 0 || asked.has(each.id)),
      );
      if (!credential) throw new Error('This authenticator has no key that was asked for.');
      if (credential.counter > 0) credential.counter += 1;
      const authData = authenticatorData(rpId, lie.counter ?? credential.counter, lie);
      const client = clientData('webauthn.get', challenge, rpId, lie);
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()]);
      const key = lie.forged ? newKey(algorithm).privateKey : credential.privateKey;
      const userHandle = lie.userHandle === undefined ? credential.userHandle : lie.userHandle;
      return {
        id: lie.credentialId ?? credential.id,
        rawId: lie.credentialId ?? credential.id,
        type: 'public-key',
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign(key.asymmetricKeyType === 'ec' ? 'sha256' : null, signed, key).toString(
            'base64url',
          ),
          ...(userHandle !== null && { userHandle }),
        },
      };
    },
  };
}

/** WebAuthn Level 3, 6.1: UP, UV, BE, BS, and AT where key and id are attached. */
function flagBits(flags: AuthenticatorFlags, attested: boolean): number {
  const { userPresent, userVerified, backupEligible, backedUp } = flags;
  const bits = [userPresent, false, userVerified, backupEligible, backedUp, false, attested];
  return bits.reduce<number>((sum, bit, index) => sum + (bit ? 2 ** index : 0), 0);
}

/** A private key, and its public half as COSE writes it (RFC 9053, 2 and 7). */
function newKey(algorithm: 'ES256' | 'EdDSA'): { privateKey: KeyObject; coseKey: Buffer } {
  const { privateKey, publicKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('ed25519');
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  const cose: [number, number | Uint8Array][] =
    algorithm === 'ES256'
      ? [
          [1, 2],
          [3, coseAlgorithms.ES256],
          [-1, 1],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]
      : [
          [1, 1],
          [3, coseAlgorithms.EdDSA],
          [-1, 6],
          [-2, bytes(x)],
        ];
  return { privateKey, coseKey: encode(new Map(cose)) };
}

function encode(value: unknown): Buffer {
  return Buffer.from(loadCbor().encode(value as Parameters<ReturnType<typeof loadCbor>['encode']>[0]));
}
