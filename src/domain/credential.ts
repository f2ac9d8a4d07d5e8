/** A passkey: a public key that one authenticator signs with (WebAuthn Level 3, 4). */
import { authenticatorName } from './authenticator-names.js';
import type { DeviceInfo } from './session.js';

/** A credential as listings show it. */
export interface PublicCredential {
  /** The id that the authenticator assigned, base64url. Unique among all users. */
  id: string;
  userId: string;
  /** The name that the user chose, otherwise that of the authenticator's model: `iCloud Keychain`. */
  name: string;
  /** The signature counter of the authenticator; 0 if it does not count. */
  counter: number;
  /** How a browser can reach the authenticator: `internal`, `hybrid`, `usb` and others. */
  transports: string[];
  /**
   * Whether the passkey can be synchronized to other devices (BE, backup eligibility). Never
   * changes.
   */
  backupEligible: boolean;
  /** Whether the passkey is currently synchronized (BS, backup state). */
  backedUp: boolean;
  /** The model of the authenticator; zeros if it does not report one. */
  aaguid: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The browser of the last use. Null if there was none, or if it was before this was recorded. */
  lastUsedFrom: DeviceInfo | null;
}

export interface StoredCredential extends Omit<PublicCredential, 'name'> {
  /** Null unless the user has chosen a name. */
  name: string | null;
  /** COSE key, base64url. */
  publicKey: string;
  /**
   * The user handle that the authenticator keeps, base64url. Null for the one that registrations of this service give it, and empty for a
   * passkey of another system that has not kept it.
   */
  userHandle: string | null;
}

/** What browsers should know about the passkeys of a user (WebAuthn Level 3, 5.1.10). */
export interface PasskeySignals {
  /** The domain that the passkeys are bound to. */
  rpId: string;
  /** The user handle, base64url: as `user.id` of the options of a registration. */
  userId: string;
  /** The ids of all passkeys of the user, base64url. Null if there are too many for one response: then signal no list. */
  credentialIds: string[] | null;
  /** What browsers show next to the passkeys: the address, or else the user name. Null for a user who has neither: then signal no name. */
  name: string | null;
  /** As at the registration: empty. */
  displayName: string;
}

export function toPublicCredential(credential: StoredCredential): PublicCredential {
  const { publicKey: _, userHandle: __, name, ...rest } = credential;
  return { ...rest, name: name ?? usualName(credential) };
}

/** Not stored: a model that is unknown today may be in the table of a later release. */
function usualName({ aaguid, transports }: StoredCredential): string {
  const isExternal = transports.some((transport) => transport === 'usb' || transport === 'nfc');
  return authenticatorName(aaguid) ?? (isExternal ? 'Security key' : 'Passkey');
}
