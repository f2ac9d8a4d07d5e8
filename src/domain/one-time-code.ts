/** A short code that is sent out of band and typed back. */

/** What a code is good for; a code made for one purpose is worthless for another. */
export type CodePurpose = 'email_code' | 'phone_code';

export interface ServiceOneTimeCode {
  purpose: CodePurpose;
  /** The address or number it was sent to, in canonical form. One active code per purpose and subject. */
  subject: string;
  /** MAC of the code; the code itself is not kept. */
  codeHash: string;
  /** Tries reserved so far, right or wrong. */
  attempts: number;
  expiresAt: Date;
  consumedAt: Date | null;
  /** For the user that this code may create. */
  metadata: Record<string, unknown>;
}
