/**
 * What a passkey ceremony asks for and what its answer must show, in one place: options and verification that are written apart
 * drift apart (docs/decisions/passkeys.md).
 */
import { isIP } from 'node:net';
import type * as WebAuthn from '@simplewebauthn/server';
import { randomToken } from '../../crypto/random.js';
import type { PublicCredential, StoredCredential } from '../../domain/credential.js';
import type { ServiceUser } from '../../domain/user.js';
import { absoluteUrl, durationMs, requiredText } from '../../kit/option-types.js';
import { isSafeUrl } from '../../kit/link-targets.js';
import { loadWebAuthn, type Zod } from '../../runtime/load.js';
import { checkAnswer, checkAttestation, checkPublicKey, isCredentialId } from './answer.js';

export const webauthnOptions = (z: Zod) =>
  z
    .strictObject({
      /** The domain that passkeys are bound to: that of your pages or a parent of it, without scheme and port. */
      rpId: requiredText(z).refine(isDomain, 'must be a domain such as acme.test, in lower case'),
      /** Where your pages are: `https://acme.test`. Exact, with the port; plain http only on localhost. */
      origins: z.array(pageOrigin(z)).min(1),
      /** Your product's name, as the browser shows it; `appName` without it. */
      rpName: z.string().trim().min(1).max(100).optional(),
      /** Whether the authenticator must check who holds it (PIN, fingerprint). A passkey that did counts as two factors. */
      userVerification: z.enum(['required', 'preferred', 'discouraged']).default('preferred'),
      /** How long the browser waits for its user, in milliseconds. A challenge is good for five minutes. */
      timeoutMs: durationMs(z).default(60_000),
    })
    .superRefine(({ rpId, origins }, context) => {
      origins.forEach((origin, index) => {
        const host = new URL(origin).hostname;
        if (origin.startsWith('android:') || host === rpId || host.endsWith(`.${rpId}`)) return;
        const message = `must be at ${rpId} or below it: browsers refuse rpId elsewhere`;
        context.addIssue({ code: 'custom', path: ['origins', index], message });
      });
    });

// An Android app has the digest of its signing certificate for an origin.
const pageOrigin = (z: Zod) =>
  z.union([
    z.string().regex(/^android:apk-key-hash:[\w-]{43}$/),
    absoluteUrl(z, isSafeUrl).refine(
      (text) => URL.canParse(text) && new URL(text).origin === text,
      'must be an origin such as https://acme.test',
    ),
  ]);

// Browsers bind passkeys to no address by number.
function isDomain(text: string): boolean {
  return isIP(text) === 0 && URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text;
}

export type WebAuthnOptions = ReturnType<ReturnType<typeof webauthnOptions>['parse']>;

/** The values of COSE for EdDSA, ES256 and RS256, in the order of preference (WebAuthn Level 3, 5.4). */
const algorithms = [-8, -7, -257];

export interface VerifiedRegistration {
  credential: Pick<StoredCredential, 'id' | 'publicKey' | 'counter' | 'transports' | 'aaguid'>;
  backupEligible: boolean;
  backedUp: boolean;
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

  registrationOptions(user: ServiceUser, existing: readonly PublicCredential[]) {
    const { rpId, rpName, timeoutMs, userVerification } = this.options;
    return loadWebAuthn().generateRegistrationOptions({
      challenge: bytesOf(randomToken()),
      rpID: rpId,
      rpName: rpName ?? this.appName,
      userName: user.email ?? user.id,
      userID: userHandle(user.id),
      timeout: timeoutMs,
      attestationType: 'none',
      excludeCredentials: existing.map(descriptor),
      // Discoverable where the authenticator can: then a sign-in needs no name first.
      authenticatorSelection: { residentKey: 'preferred', userVerification },
      supportedAlgorithmIDs: algorithms,
    });
  }

  authenticationOptions(allowed: readonly PublicCredential[]) {
    const { rpId, timeoutMs, userVerification } = this.options;
    return loadWebAuthn().generateAuthenticationOptions({
      challenge: bytesOf(randomToken()),
      rpID: rpId,
      timeout: timeoutMs,
      userVerification,
      allowCredentials: allowed.map(descriptor),
    });
  }

  /** Throws, with whatever error, where the answer does not hold (WebAuthn Level 3, 7.1). */
  async verifyRegistration(
    response: WebAuthn.RegistrationResponseJSON,
    expectedChallenge: string,
  ): Promise<VerifiedRegistration> {
    checkAnswer(response, ['attestationObject']);
    checkAttestation(response.response.attestationObject);
    const { verified, registrationInfo } = await loadWebAuthn().verifyRegistrationResponse({
      response,
      expectedChallenge,
      supportedAlgorithmIDs: algorithms,
      ...this.expectations(),
    });
    if (!verified) throw new Error('The attestation does not hold.');
    const { aaguid, credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
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
    };
  }

  /** Throws where the answer does not hold (WebAuthn Level 3, 7.2). The counter is judged by the storage. */
  async verifyAuthentication(
    response: WebAuthn.AuthenticationResponseJSON,
    expectedChallenge: string,
    stored: StoredCredential,
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
      ...this.expectations(),
    });
    if (!verified) throw new Error('The signature does not hold.');
    const { newCounter, userVerified, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    const backupEligible = credentialDeviceType === 'multiDevice';
    // It never changes: another value is another key's (WebAuthn Level 3, 6.1.3).
    if (backupEligible !== stored.backupEligible) throw new Error('The backup eligibility has changed.');
    return { counter: newCounter, userVerified, backupEligible, backedUp: credentialBackedUp };
  }

  private expectations() {
    const { origins, rpId, userVerification } = this.options;
    return {
      expectedOrigin: origins,
      expectedRPID: rpId,
      requireUserVerification: userVerification === 'required',
    };
  }
}

/** The bytes that an authenticator keeps for a user: their id, which says nothing of the person. */
export function userHandle(userId: string) {
  return new Uint8Array(Buffer.from(userId));
}

function bytesOf(base64url: string) {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}

function descriptor({ id, transports }: PublicCredential) {
  return { id, transports };
}

function knownTransports(transports: unknown): string[] {
  const all = Array.isArray(transports) ? (transports as unknown[]) : [];
  return all
    .filter((each): each is string => typeof each === 'string' && /^[a-z-]{1,32}$/.test(each))
    .slice(0, 8);
}
