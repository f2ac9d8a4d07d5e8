/** A short code that is sent to the user, who enters it. */

/** The purpose of a code. A code is valid for its own purpose only. */
export type CodePurpose =
  | 'email_code'
  /** Signs in, like the link of the same mail. */
  | 'magic_link'
  | 'phone_code'
  /** Sets a new password. Mailed on its own or together with a reset link. */
  | 'password_reset'
  /** Lets a password be evaluated after too many wrong ones. Worth nothing without the password. */
  | 'password_login'
  /** Adds a phone number to the account of a signed-in user. */
  | 'phone_link'
  /** Verifies the current address of a signed-in user. */
  | 'email_verification'
  /** Confirms a change of address, at the current and at the new address. */
  | 'email_change'
  | 'guest_upgrade'
  /** Proves the address of an account that is about to be created with a passkey. */
  | 'passkey_signup'
  /** The second step of a sign-in. */
  | 'second_factor'
  /** Confirms a sign-up with a password. */
  | 'sign_up';

/**
 * The letters of long codes (RFC 8628, 6.1): no vowels, so that they form no words, and no digits, for
 * which a letter could be mistaken. A code has either these letters or digits, so a guess shows which
 * of the two it is for.
 */
export const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ';

/** A long code is one of 20^10, about ten million times as many as a code of six digits. */
export const longCodeLength = 10;

const longCode = new RegExp(`^[${codeLetters}]{${longCodeLength}}$`, 'i');

/** Returns whether a guess without blanks and dashes can only be right for a long code. */
export function isLongCode(code: string): boolean {
  return longCode.test(code);
}

/** The hash of a long code starts with this character, which base64url does not contain. */
export const longHashPrefix = '~';

/** What a client needs to know about a mailed code. */
export interface CodeFormat {
  /** Present if the code has ten letters instead of digits. */
  codeFormat?: 'letters';
}

/** A code was mailed. */
export interface SentCode extends CodeFormat {
  expiresAt: Date;
}

export interface ServiceOneTimeCode {
  purpose: CodePurpose;
  /**
   * The address or number that the code was sent to, in canonical form, if the code signs a user
   * in or up, or resets a password; the user's id if the user is already signed in; for a sign-up, the digest of
   * the browser's token. One active code per purpose and subject.
   */
  subject: string;
  /**
   * MAC of the code, or the MACs of two codes that are redeemed together. That of a long code starts
   * with `~`. The code itself is not stored.
   */
  codeHash: string;
  /** Attempts reserved so far, right or wrong. */
  attempts: number;
  expiresAt: Date;
  consumedAt: Date | null;
  /** Metadata of the user whom this code may create; for a reset, the token that the code uses. */
  metadata: Record<string, unknown>;
  /**
   * Digest of the link that was mailed with the code: whichever of the two is used first ends the
   * other. Required for the purpose `magic_link`, which no other code has.
   */
  linkDigest?: string;
}

/**
 * Returns the user's id if the code's subject is one, otherwise null. Such a code is deleted with
 * its user.
 */
export function userOfCode({
  purpose,
  subject,
}: Pick<ServiceOneTimeCode, 'purpose' | 'subject'>): string | null {
  return unownedPurposes.includes(purpose) ? null : subject;
}

/** The purposes whose subject is not the id of a user. */
const unownedPurposes: readonly CodePurpose[] = [
  'email_code',
  'magic_link',
  'passkey_signup',
  'password_login',
  'password_reset',
  'phone_code',
  'sign_up',
];
