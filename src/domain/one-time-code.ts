/** A short code that is sent to the user, who enters it. */

/** The purpose of a code. A code is valid for its own purpose only. */
export type CodePurpose =
  | 'email_code'
  | 'phone_code'
  /** Adds a phone number to the account of a signed-in user. */
  | 'phone_link'
  /** Verifies the current address of a signed-in user. */
  | 'email_verification'
  /** Confirms a change of address, at the current and at the new address. */
  | 'email_change'
  | 'guest_upgrade'
  /** The second step of a sign-in. */
  | 'second_factor';

export interface ServiceOneTimeCode {
  purpose: CodePurpose;
  /**
   * The address or number that the code was sent to, in canonical form, if the code signs a user
   * in; the user's id if the user is already signed in. One active code per purpose and subject.
   */
  subject: string;
  /**
   * MAC of the code, or the MACs of two codes that are redeemed together. The code itself is not
   * stored.
   */
  codeHash: string;
  /** Attempts reserved so far, right or wrong. */
  attempts: number;
  expiresAt: Date;
  consumedAt: Date | null;
  /** Metadata of the user whom this code may create. */
  metadata: Record<string, unknown>;
}

/**
 * Returns the user's id if the code's subject is one, otherwise null. Such a code is deleted with
 * its user.
 */
export function userOfCode({
  purpose,
  subject,
}: Pick<ServiceOneTimeCode, 'purpose' | 'subject'>): string | null {
  return purpose === 'email_code' || purpose === 'phone_code' ? null : subject;
}
