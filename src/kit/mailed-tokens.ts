/** Tokens that travel in mailed links: signed, bound to a subject, single-use (specification 3.1, 5.3, 5.4). */
import type { Keyring, KeyPurpose } from '../crypto/keys.js';
import { openToken, signToken, type OpenedToken } from '../crypto/signed-token.js';
import type { SingleUseToken, TokenPurpose } from '../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../storage/repositories.js';
import type { Clock } from './clock.js';

type MailedPurpose = Extract<TokenPurpose, KeyPurpose>;

export interface IssuedToken {
  token: string;
  expiresAt: Date;
  /** Takes the token back: its send failed. */
  discard: () => Promise<void>;
}

export class MailedTokens {
  constructor(
    private readonly repository: SingleUseTokenRepository,
    private readonly keys: Keyring,
    private readonly clock: Clock,
  ) {}

  async issue(
    purpose: MailedPurpose,
    subject: string,
    ttlMs: number,
    { metadata = {}, account }: Partial<Pick<SingleUseToken, 'metadata' | 'account'>> = {},
  ): Promise<IssuedToken> {
    const expiresAt = new Date(this.clock() + ttlMs);
    const { token, digest } = signToken(this.keys, purpose, subject, expiresAt.getTime());
    await this.repository.insert({ digest, purpose, subject, expiresAt, metadata, account });
    return { token, expiresAt, discard: () => this.repository.discard(digest) };
  }

  /** MAC, purpose and time; no storage is asked. */
  open(purpose: MailedPurpose, token: unknown): OpenedToken {
    return openToken(this.keys, purpose, token, this.clock());
  }

  /** Consumes an opened token: of parallel calls one gets it, the others null. */
  consume(purpose: MailedPurpose, digest: string): Promise<SingleUseToken | null> {
    return this.repository.consume(purpose, digest, new Date(this.clock()));
  }
}
