/**
 * The JSON of passkey ceremonies (WebAuthn Level 3, 5.1.8 to 5.1.10). Written out, because the
 * declarations of an optional package are missing if it is not installed.
 */

/** The options for `navigator.credentials.create`. */
export interface RegistrationOptions {
  rp: { id?: string; name: string };
  user: { id: string; name: string; displayName: string };
  /** Binary values, such as this one, are base64url. */
  challenge: string;
  pubKeyCredParams: { alg: number; type: 'public-key' }[];
  /** In milliseconds. */
  timeout?: number;
  excludeCredentials?: CredentialDescriptor[];
  authenticatorSelection?: {
    authenticatorAttachment?: AuthenticatorAttachment;
    requireResidentKey?: boolean;
    residentKey?: Requirement;
    userVerification?: Requirement;
  };
  hints?: CredentialHint[];
  attestation?: 'direct' | 'enterprise' | 'indirect' | 'none';
  attestationFormats?: (
    'fido-u2f' | 'packed' | 'android-safetynet' | 'android-key' | 'tpm' | 'apple' | 'none'
  )[];
  extensions?: ExtensionInputs;
}

/** The options for `navigator.credentials.get`. */
export interface AuthenticationOptions {
  challenge: string;
  /** In milliseconds. */
  timeout?: number;
  rpId?: string;
  allowCredentials?: CredentialDescriptor[];
  userVerification?: Requirement;
  hints?: CredentialHint[];
  extensions?: ExtensionInputs;
}

/** The response of `navigator.credentials.create`. */
export interface RegistrationResponse extends CredentialResponse {
  response: {
    clientDataJSON: string;
    attestationObject: string;
    authenticatorData?: string;
    transports?: string[];
    publicKeyAlgorithm?: number;
    publicKey?: string;
  };
}

/** The response of `navigator.credentials.get`. */
export interface AuthenticationResponse extends CredentialResponse {
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string;
  };
}

interface CredentialResponse {
  id: string;
  rawId: string;
  type: 'public-key';
  authenticatorAttachment?: AuthenticatorAttachment;
  clientExtensionResults: { appid?: boolean; credProps?: { rk?: boolean }; hmacCreateSecret?: boolean };
}

interface CredentialDescriptor {
  id: string;
  type: string;
  transports?: string[];
}

interface ExtensionInputs {
  appid?: string;
  credProps?: boolean;
  hmacCreateSecret?: boolean;
  minPinLength?: boolean;
}

type AuthenticatorAttachment = 'cross-platform' | 'platform';
type CredentialHint = 'hybrid' | 'security-key' | 'client-device';
type Requirement = 'discouraged' | 'preferred' | 'required';
