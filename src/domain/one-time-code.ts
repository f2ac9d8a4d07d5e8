/** A short code that is sent out of band and typed back. */

/** What a code is good for; a code made for one purpose is worthless for another. */
export type CodePurpose =
  | 'email_code'
  | 'phone_code'
  /** Of the address that a user who is signed in has. */
  | 'email_verification'
  /** Of the address that a user wants to have, and of the one that they have. */
  | 'email_change'
  | 'guest_upgrade';

export interface ServiceOneTimeCode {
  purpose: CodePurpose;
  /**
   * Whom it is for: the address or number it was sent to, in canonical form, where it signs in; the id of the user where they are
   * signed in already. One active code per purpose and subject.
   */
  subject: string;
  /** MAC of the code, or the MACs of two codes that are redeemed together; no code itself is kept. */
  codeHash: string;
  /** Tries reserved so far, right or wrong. */
  attempts: number;
  expiresAt: Date;
  consumedAt: Date | null;
  /** For the user that this code may create. */
  metadata: Record<string, unknown>;
}

/** The id of the user whom the code is for, where its subject is one: it goes with them. */
export function userOfCode({
  purpose,
  subject,
}: Pick<ServiceOneTimeCode, 'purpose' | 'subject'>): string | null {
  return purpose === 'email_code' || purpose === 'phone_code' ? null : subject;
}
