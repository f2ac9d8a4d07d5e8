/** The stored record of an authenticator app as a second factor. */

export interface TotpEnrollment {
  userId: string;
  /** Encrypted. Null until an enrollment is confirmed. */
  secret: string | null;
  /**
   * The last time step for which a code was accepted. Codes of it and of earlier steps are rejected
   * (RFC 6238, 5.2).
   */
  lastStep: number;
  /** Encrypted. Replaces `secret` when its first code is confirmed. */
  pendingSecret: string | null;
  confirmedAt: Date | null;
}
