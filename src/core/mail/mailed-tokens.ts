/** Tokens of mailed links: signed, bound to a subject, single-use (specification 3.1, 5.3, 5.4). */
import type { Keyring, KeyPurpose } from '../../crypto/keys.js';
import { openToken, signToken, type OpenedToken } from '../../crypto/signed-token.js';
import type { SingleUseToken, TokenPurpose } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import type { Clock } from '../support/clock.js';

type MailedPurpose = Extract<TokenPurpose, KeyPurpose>;

export interface IssuedToken {
  token: string;
  /** Of the stored token. */
  digest: string;
  expiresAt: Date;
  /** Deletes the token. Call it if the mail could not be sent. */
  discard: () => Promise<void>;
}

export interface TokenDetails extends Partial<Pick<SingleUseToken, 'metadata' | 'account'>> {
  /** What the token says, if that is not its subject. It is not stored. */
  content?: string;
}

export class MailedTokens {
  constructor(
    private readonly repository: SingleUseTokenRepository,
    private readonly keys: Keyring,
    private readonly clock: Clock,
  ) {}

  async issueToken(
    purpose: MailedPurpose,
    subject: string,
    ttlMs: number,
    { metadata = {}, account, content = subject }: TokenDetails = {},
  ): Promise<IssuedToken> {
    const expiresAt = new Date(this.clock() + ttlMs);
    const { token, digest } = signToken(this.keys, purpose, content, expiresAt.getTime());
    await this.repository.insert({ digest, purpose, subject, expiresAt, metadata, account });
    return { token, digest, expiresAt, discard: () => this.repository.discard(digest) };
  }

  /** Checks MAC, purpose and expiry, without a query. */
  openToken(purpose: MailedPurpose, token: unknown): OpenedToken {
    return openToken(this.keys, purpose, token, this.clock());
  }

  /** Returns the stored token of a link that can still be used, and leaves it. Null if it was used. */
  findToken(purpose: MailedPurpose, digest: string): Promise<SingleUseToken | null> {
    return this.repository.find(purpose, digest, new Date(this.clock()));
  }

  /** Consumes an opened token. Atomic: of parallel calls one resolves the token, and the others resolve null. */
  consumeToken(purpose: MailedPurpose, digest: string): Promise<SingleUseToken | null> {
    return this.repository.consume(purpose, digest, new Date(this.clock()));
  }
}
