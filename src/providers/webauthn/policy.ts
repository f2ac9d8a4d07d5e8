/**
 * The options of a passkey ceremony and the verification of its response, in one place, because options and verification that
 * are written separately drift apart (docs/decisions/passkeys.md).
 */
import { randomToken } from '../../crypto/random.js';
import type { StoredCredential } from '../../domain/credential.js';
import type { AuthenticationResponse, RegistrationResponse } from '../../domain/passkey-json.js';
import { loadWebAuthn } from '../../runtime/load.js';
import { checkAnswer, requestedAttestation, checkPublicKey, isCredentialId } from './answer.js';
import { inStandardShape } from './field-shapes.js';
import type { RegistrationStart, WebAuthnOptions } from './options.js';

/** The values of COSE for EdDSA, ES256 and RS256, in the order of preference (WebAuthn Level 3, 5.4). */
const algorithms = [-8, -7, -257];

/** `second`: the passkey follows another factor. */
export type SignInStep = 'first' | 'second';

/** The user of a new passkey. */
export interface NewPasskeyUser {
  id: string;
  /** What the browser shows next to the passkey. Null: the name of the application. */
  name: string | null;
}

export interface VerifiedRegistration {
  credential: Pick<StoredCredential, 'id' | 'publicKey' | 'counter' | 'transports' | 'aaguid'>;
  backupEligible: boolean;
  backedUp: boolean;
  userVerified: boolean;
}

export interface VerifiedAuthentication {
  counter: number;
  userVerified: boolean;
  backupEligible: boolean;
  backedUp: boolean;
}

export class PasskeyPolicy {
  constructor(
    private readonly options: WebAuthnOptions,
    private readonly appName: string,
  ) {}

  /** @param residentKey `required` if the account has no other sign-in: only a discoverable passkey needs no user name. */
  registrationOptions(
    user: NewPasskeyUser,
    existing: readonly StoredCredential[],
    residentKey: 'preferred' | 'required' = 'preferred',
  ) {
    const { rpId, rpName, timeoutMs, userVerification } = this.options;
    return loadWebAuthn().generateRegistrationOptions({
      challenge: bytesOf(randomToken()),
      rpID: rpId,
      rpName: rpName ?? this.appName,
      userName: user.name ?? rpName ?? this.appName,
      userID: userHandle(user.id),
      timeout: timeoutMs,
      attestationType: 'none',
      excludeCredentials: existing.map(descriptor),
      // Discoverable if the authenticator supports it: then a sign-in needs no username first.
      authenticatorSelection: { residentKey, userVerification },
      supportedAlgorithmIDs: algorithms,
    });
  }

  authenticationOptions(allowed: readonly StoredCredential[], step: SignInStep = 'first') {
    const { rpId, timeoutMs } = this.options;
    return loadWebAuthn().generateAuthenticationOptions({
      challenge: bytesOf(randomToken()),
      rpID: rpId,
      timeout: timeoutMs,
      userVerification: this.verificationAt(step),
      allowCredentials: allowed.map(descriptor),
    });
  }

  /** Throws an error if the response is invalid (WebAuthn Level 3, 7.1). */
  async verifyRegistration(
    response: RegistrationResponse,
    expectedChallenge: string,
    { automatic = false }: RegistrationStart = {},
  ): Promise<VerifiedRegistration> {
    response = inStandardShape(response);
    checkAnswer(response, ['attestationObject']);
    const attestationObject = requestedAttestation(response.response.attestationObject);
    const { verified, registrationInfo } = await loadWebAuthn().verifyRegistrationResponse({
      response: { ...response, response: { ...response.response, attestationObject } },
      expectedChallenge,
      supportedAlgorithmIDs: algorithms,
      requireUserPresence: !automatic,
      ...this.expectations('first'),
    });
    if (!verified) throw new Error('The attestation is invalid.');
    const { aaguid, credential, credentialDeviceType, credentialBackedUp, userVerified } = registrationInfo;
    const { id, publicKey, counter } = credential;
    if (id !== response.id) throw new Error('The credential id is not the attested one.');
    checkPublicKey(publicKey);
    if (!isCredentialId(id)) throw new Error('The credential id is too long.');
    return {
      credential: {
        id,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: knownTransports(response.response.transports),
        aaguid,
      },
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
      userVerified,
    };
  }

  /** Throws an error if the response is invalid (WebAuthn Level 3, 7.2). The storage checks the counter. */
  async verifyAuthentication(
    response: AuthenticationResponse,
    expectedChallenge: string,
    stored: StoredCredential,
    step: SignInStep = 'first',
  ): Promise<VerifiedAuthentication> {
    checkAnswer(response, ['authenticatorData', 'signature']);
    const { verified, authenticationInfo } = await loadWebAuthn().verifyAuthenticationResponse({
      response,
      expectedChallenge,
      credential: {
        id: stored.id,
        publicKey: bytesOf(stored.publicKey),
        counter: 0,
      },
      ...this.expectations(step),
    });
    if (!verified) throw new Error('The signature is invalid.');
    const { newCounter, userVerified, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    const backupEligible = credentialDeviceType === 'multiDevice';
    // It never changes: another value is another key's (WebAuthn Level 3, 6.1.3).
    if (backupEligible !== stored.backupEligible) throw new Error('The backup eligibility has changed.');
    return { counter: newCounter, userVerified, backupEligible, backedUp: credentialBackedUp };
  }

  private expectations(step: SignInStep) {
    const { origins, relatedOrigins, rpId } = this.options;
    return {
      expectedOrigin: [...origins, ...relatedOrigins],
      expectedRPID: rpId,
      requireUserVerification: this.verificationAt(step) === 'required',
    };
  }

  /** After another factor, the possession of the key is enough. */
  private verificationAt(step: SignInStep) {
    return step === 'second' ? 'discouraged' : this.options.userVerification;
  }
}

/** The bytes that an authenticator stores for a user: the user id, which reveals nothing about the person. */
export function userHandle(userId: string) {
  return new Uint8Array(Buffer.from(userId));
}

function bytesOf(base64url: string) {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}

function descriptor({ id, transports }: StoredCredential) {
  return { id, transports };
}

function knownTransports(transports: unknown): string[] {
  const all = Array.isArray(transports) ? (transports as unknown[]) : [];
  return all
    .filter((each): each is string => typeof each === 'string' && /^[a-z-]{1,32}$/.test(each))
    .slice(0, 8);
}
