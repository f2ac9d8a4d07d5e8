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

/** An authenticator app that the user has confirmed. */
export interface TotpApp {
  id: string;
  userId: string;
  /** Chosen by the user. Null for an app without a name. */
  name: string | null;
  /** Encrypted. */
  secret: string;
  /** As in `TotpEnrollment`, of this app. */
  lastStep: number;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** How many authenticator apps a user can have: each of them triples the codes that are right. */
export const maxTotpApps = 3;
