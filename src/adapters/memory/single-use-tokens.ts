/** Single-use tokens in memory. */
import { userOfToken } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';

export function memorySingleUseTokens({ tokens, users }: Tables): SingleUseTokenRepository {
  return {
    async insert(token) {
      const userId = userOfToken(token);
      if (userId !== null && !users.has(userId)) return;
      tokens.set(token.digest, copy(token));
    },
    async consume(purpose, digest, now) {
      const token = tokens.get(digest);
      if (token?.purpose !== purpose || token.expiresAt <= now) return null;
      tokens.delete(digest);
      return token;
    },
    async discard(digest) {
      tokens.delete(digest);
    },
  };
}
