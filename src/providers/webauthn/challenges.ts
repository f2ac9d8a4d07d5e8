/** Challenges of passkey ceremonies, kept in the storage for five minutes and one use. */
import { sha256 } from '../../crypto/digest.js';
import type { SingleUseToken, TokenPurpose } from '../../domain/single-use-token.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { Toolkit } from '../../core/toolkit.js';

const ttlMs = 5 * 60_000;

export class Challenges {
  constructor(private readonly tools: Pick<Toolkit, 'clock' | 'storage'>) {}

  async remember(
    purpose: TokenPurpose,
    challenge: string,
    subject: string,
    metadata: Record<string, unknown>,
  ): Promise<void> {
    const expiresAt = new Date(this.tools.clock() + ttlMs);
    const digest = sha256(challenge);
    await this.tools.storage.singleUseTokens.insert({ digest, purpose, subject, expiresAt, metadata });
  }

  /**
   * Consumes a challenge before any cryptography: of parallel responses to one challenge, only one is verified.
   * @throws TokenInvalidError if it is unknown, already used, expired, or was issued to another subject.
   */
  async consume(
    purpose: TokenPurpose,
    challenge: unknown,
    subjects: readonly (string | undefined)[],
  ): Promise<SingleUseToken> {
    if (typeof challenge !== 'string' || challenge === '')
      throw new TokenInvalidError(because('passkey_challenge_invalid'));
    const now = new Date(this.tools.clock());
    const consumed = await this.tools.storage.singleUseTokens.consume(purpose, sha256(challenge), now);
    if (!consumed || !subjects.includes(consumed.subject))
      throw new TokenInvalidError(because('passkey_challenge_invalid'));
    return consumed;
  }
}
