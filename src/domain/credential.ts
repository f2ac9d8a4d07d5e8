/** A passkey: a public key that one authenticator signs with (WebAuthn Level 3, 4). */

/** A credential as listings show it. */
export interface PublicCredential {
  /** The authenticator's own id of it, base64url. Unique among all users. */
  id: string;
  userId: string;
  /** Signatures made so far, as the authenticator counts them; 0 where it does not. */
  counter: number;
  /** How a browser can reach the authenticator: `internal`, `hybrid`, `usb` and others. */
  transports: string[];
  /** Whether it may be synchronised to other devices (BE, backup eligibility); never changes. */
  backupEligible: boolean;
  /** Whether it is at present (BS, backup state). */
  backedUp: boolean;
  /** The model of the authenticator, where it tells; zeros where it does not. */
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
