/** The stored half of a mailed token: what makes it single-use. */

export type TokenPurpose = 'magic_link' | 'password_reset';

export interface SingleUseToken {
  /** SHA-256 of the token's random part, base64url. */
  digest: string;
  purpose: TokenPurpose;
  /** Address (magic link) or user id (reset) it is bound to. */
  subject: string;
  expiresAt: Date;
  /** For the user that a magic link may create. */
  metadata: Record<string, unknown>;
}
