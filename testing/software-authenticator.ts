/**
 * A software authenticator, for tests of passkeys without a browser: real keys, real signatures and
 * real CBOR. Its responses are those of `navigator.credentials` as JSON, and can be tampered with.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type {
  AuthenticationOptions,
  AuthenticationResponse,
  RegistrationOptions,
  RegistrationResponse,
} from '../src/domain/passkey-json.js';
import { loadCbor } from '../src/runtime/load.js';

export interface SoftwareAuthenticatorOptions {
  /** Algorithm of new keys. Default `ES256`. */
  algorithm?: 'ES256' | 'EdDSA';
  /** The model that new keys report. Default: zeros, as authenticators do that do not report one. */
  aaguid?: string;
  /** Origin of the page. Default `https://<rpId>`. */
  origin?: string;
  /** The flags in every response. By default the user was present and verified. */
  flags?: AuthenticatorFlags;
  /**
   * The counter of new keys, which every use raises by one. A counter of 0 stays 0, as with
   * synchronized passkeys. Default 1.
   */
  counter?: number;
}

export interface AuthenticatorFlags {
  userPresent?: boolean;
  userVerified?: boolean;
  backupEligible?: boolean;
  backedUp?: boolean;
}

/** Values that replace the correct ones in one response. */
export interface TamperOptions extends AuthenticatorFlags {
  origin?: string;
  challenge?: string;
  /** The domain whose hash is signed. */
  rpId?: string;
  type?: string;
  crossOrigin?: boolean;
  counter?: number;
  /** Another user's handle; null for none. */
  userHandle?: string | null;
  /** base64url. In a registration the attestation contains it too. */
  credentialId?: string;
  /** Signs with another key. */
  forged?: boolean;
}

/** A key of the authenticator. */
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
   * Responds to `startRegistration` with a new key, which it keeps even if the response is tampered
   * with.
   * @throws Error if the authenticator has an excluded key, or the options do not allow its
   * algorithm, as a browser would.
   */
  create(options: RegistrationOptions, tamper?: TamperOptions): RegistrationResponse;
  /**
   * Responds to `startAuthentication` with the newest allowed key. @throws Error if it has none.
   */
  get(options: AuthenticationOptions, tamper?: TamperOptions): AuthenticationResponse;
}

const coseAlgorithms = { ES256: -7, EdDSA: -8 };

/**
 * Creates a software authenticator. Pass its responses to `finishRegistration` and
 * `finishAuthentication`, or post them to your own routes:
 *
 * const authenticator = softwareAuthenticator({ origin: 'https://acme.test' }); const { options,
 * challenge } = await service.webauthn.startRegistration(user.id); const response =
 * authenticator.create(options); await service.webauthn.finishRegistration({ userId: user.id,
 * response, expectedChallenge: challenge });
 *
 * The second argument tampers with one response, to test what must be rejected: `create(options, {
 * origin: 'https://evil.test' })`.
 */
export function softwareAuthenticator(options: SoftwareAuthenticatorOptions = {}): SoftwareAuthenticator {
  const { algorithm = 'ES256', aaguid = '', origin, flags = {}, counter: firstCounter = 1 } = options;
  const credentials: SoftwareCredential[] = [];

  function clientData(type: string, challenge: string, rpId: string, tamper: TamperOptions): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: tamper.type ?? type,
        challenge: tamper.challenge ?? challenge,
        origin: tamper.origin ?? origin ?? `https://${rpId}`,
        crossOrigin: tamper.crossOrigin ?? false,
      }),
    );
  }

  function authenticatorData(
    rpId: string,
    counter: number,
    tamper: TamperOptions,
    attested?: Buffer,
  ): Buffer {
    const rpIdHash = createHash('sha256')
      .update(tamper.rpId ?? rpId)
      .digest();
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const bits = flagBits(
      { userPresent: true, userVerified: true, ...flags, ...tamper },
      attested !== undefined,
    );
    return Buffer.concat([rpIdHash, Buffer.from([bits]), count, attested ?? Buffer.alloc(0)]);
  }

  return {
    credentials,
    create({ challenge, rp, user, pubKeyCredParams, excludeCredentials = [] }, tamper = {}) {
      if (!pubKeyCredParams.some(({ alg }) => alg === coseAlgorithms[algorithm]))
        throw new Error('The options do not allow the algorithm of this authenticator.');
      const excluded = new Set(excludeCredentials.map(({ id }) => id));
      // With a given id it simulates an authenticator that ignores excluded keys.
      if (tamper.credentialId === undefined && credentials.some(({ id }) => excluded.has(id)))
        throw new Error('This authenticator already has an excluded key.');
      const { privateKey, coseKey } = newKey(algorithm);
      const rpId = rp.id ?? '';
      const id = tamper.credentialId ?? randomBytes(32).toString('base64url');
      const counter = tamper.counter ?? firstCounter;
      credentials.push({ id, rpId, userHandle: user.id, counter, privateKey });
      const idBytes = Buffer.from(id, 'base64url');
      const idLength = Buffer.alloc(2);
      idLength.writeUInt16BE(idBytes.length);
      const model = Buffer.from(aaguid.replaceAll('-', '').padStart(32, '0'), 'hex');
      const attested = Buffer.concat([model, idLength, idBytes, coseKey]);
      const authData = new Uint8Array(authenticatorData(rpId, counter, tamper, attested));
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
          clientDataJSON: clientData('webauthn.create', challenge, rpId, tamper).toString('base64url'),
          attestationObject: encode(attestation).toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get({ challenge, rpId = '', allowCredentials = [] }, tamper = {}) {
      const allowed = new Set(allowCredentials.map(({ id }) => id));
      const credential = credentials.findLast(
        (each) => each.rpId === rpId && (allowed.size === 0 || allowed.has(each.id)),
      );
      if (!credential) throw new Error('This authenticator has no key that the options allow.');
      if (credential.counter > 0) credential.counter += 1;
      const authData = authenticatorData(rpId, tamper.counter ?? credential.counter, tamper);
      const client = clientData('webauthn.get', challenge, rpId, tamper);
      const signedData = Buffer.concat([authData, createHash('sha256').update(client).digest()]);
      const key = tamper.forged ? newKey(algorithm).privateKey : credential.privateKey;
      const userHandle = tamper.userHandle === undefined ? credential.userHandle : tamper.userHandle;
      return {
        id: tamper.credentialId ?? credential.id,
        rawId: tamper.credentialId ?? credential.id,
        type: 'public-key',
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign(key.asymmetricKeyType === 'ec' ? 'sha256' : null, signedData, key).toString(
            'base64url',
          ),
          ...(userHandle !== null && { userHandle }),
        },
      };
    },
  };
}

/**
 * Returns the flags of WebAuthn Level 3, 6.1: UP, UV, BE, BS, and AT if the key and its id are
 * attached.
 */
function flagBits(flags: AuthenticatorFlags, attested: boolean): number {
  const { userPresent, userVerified, backupEligible, backedUp } = flags;
  const bits = [userPresent, false, userVerified, backupEligible, backedUp, false, attested];
  return bits.reduce<number>((sum, bit, index) => sum + (bit ? 2 ** index : 0), 0);
}

/** Creates a private key, and its public key in COSE form (RFC 9053, 2 and 7). */
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
