/** The stored half of a mailed token or of a passkey's challenge: what makes it single-use. */

export type TokenPurpose =
  'magic_link' | 'password_reset' | 'webauthn_registration' | 'webauthn_authentication';

/** The subject of a challenge for whoever has a passkey. */
export const anybody = '*';

export interface SingleUseToken {
  /** SHA-256 of the token's random part or of the challenge, base64url. */
  digest: string;
  purpose: TokenPurpose;
  /** Address (magic link) or user id it is bound to; a challenge may be for anybody. */
  subject: string;
  expiresAt: Date;
  /** For the user that a magic link may create. */
  metadata: Record<string, unknown>;
}

/** The id of the user whom the token is for, where its subject is one: it goes with them. */
export function userOfToken({ purpose, subject }: SingleUseToken): string | null {
  return purpose === 'magic_link' || subject === anybody ? null : subject;
}
