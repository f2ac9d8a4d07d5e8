/**
 * The options of a passkey ceremony and the verification of its response, in one place, because options and verification that
 * are written separately drift apart (docs/decisions/passkeys.md).
 */
import { isIP } from 'node:net';
import * as z from 'zod';
import { randomToken } from '../../crypto/random.js';
import type { PublicCredential, StoredCredential } from '../../domain/credential.js';
import type { AuthenticationResponse, RegistrationResponse } from '../../domain/passkey-json.js';
import type { ServiceUser } from '../../domain/user.js';
import { safeUrl, durationMs, requiredString } from '../../core/support/option-types.js';
import { loadWebAuthn } from '../../runtime/load.js';
import { checkAnswer, checkAttestation, checkPublicKey, isCredentialId } from './answer.js';

// The origin of an Android app is the digest of its signing certificate.
const pageOrigin = z.union([
  z.string().regex(/^android:apk-key-hash:[\w-]{43}$/),
  safeUrl().refine(
    (url) => URL.canParse(url) && new URL(url).origin === url,
    'must be an origin such as https://acme.test',
  ),
]);

export const webauthnOptions = z
  .strictObject({
    rpId: requiredString()
      .refine(isDomain, 'must be a domain such as acme.test, in lower case')
      .describe(
        'The domain that passkeys are bound to: the domain of your pages or a parent of it, without scheme and port.',
      ),
    origins: z
      .array(pageOrigin)
      .min(1)
      .describe(
        'The origins of your pages, such as `https://acme.test`. Exact, with the port; plain http only on localhost.',
      ),
    rpName: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("Your product's name, as the browser shows it. If absent, `appName`."),
    userVerification: z
      .enum(['required', 'preferred', 'discouraged'])
      .default('preferred')
      .describe(
        'Whether the authenticator must verify its user (PIN, fingerprint). A passkey with user verification counts as two factors.',
      ),
    timeoutMs: durationMs()
      .default(60_000)
      .describe(
        'How long the browser waits for the user, in milliseconds. A challenge is valid for five minutes.',
      ),
  })
  .superRefine(({ rpId, origins }, context) => {
    origins.forEach((origin, index) => {
      const host = new URL(origin).hostname;
      if (origin.startsWith('android:') || host === rpId || host.endsWith(`.${rpId}`)) return;
      const message = `must be at ${rpId} or below it: browsers refuse rpId elsewhere`;
      context.addIssue({ code: 'custom', path: ['origins', index], message });
    });
  })
  .meta({ title: 'Passkeys', description: 'Passkeys: [passkeys](providers/webauthn.md).' });

// Browsers do not bind passkeys to IP addresses.
function isDomain(domain: string): boolean {
  return (
    isIP(domain) === 0 && URL.canParse(`https://${domain}`) && new URL(`https://${domain}`).host === domain
  );
}

export type WebAuthnOptions = z.output<typeof webauthnOptions>;

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
      // Discoverable if the authenticator supports it: then a sign-in needs no username first.
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

  /** Throws an error if the response is invalid (WebAuthn Level 3, 7.1). */
  async verifyRegistration(
    response: RegistrationResponse,
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
    if (!verified) throw new Error('The attestation is invalid.');
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

  /** Throws an error if the response is invalid (WebAuthn Level 3, 7.2). The storage checks the counter. */
  async verifyAuthentication(
    response: AuthenticationResponse,
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
    if (!verified) throw new Error('The signature is invalid.');
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

/** The bytes that an authenticator stores for a user: the user id, which reveals nothing about the person. */
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
