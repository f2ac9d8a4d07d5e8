/** A second factor by an authenticator app: what the storage keeps of it. */

export interface TotpEnrollment {
  userId: string;
  /** Encrypted. Null until an enrolment was confirmed. */
  secret: string | null;
  /** The last time step for which a code was accepted: none at or before it counts again (RFC 6238, 5.2). */
  lastStep: number;
  /** Encrypted, waiting for its first code; takes the place of `secret` then. */
  pendingSecret: string | null;
  confirmedAt: Date | null;
}
