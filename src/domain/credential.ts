/** A passkey: a public key that one authenticator signs with (WebAuthn Level 3, 4). */

/** A credential as listings show it. */
export interface PublicCredential {
  /** The id that the authenticator assigned, base64url. Unique among all users. */
  id: string;
  userId: string;
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
}

export interface StoredCredential extends PublicCredential {
  /** COSE key, base64url. */
  publicKey: string;
}

export function toPublicCredential(credential: StoredCredential): PublicCredential {
  const { publicKey: _, ...rest } = credential;
  return rest;
}
