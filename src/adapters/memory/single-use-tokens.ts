/** Single-use tokens in memory. */
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';

export function memorySingleUseTokens({ tokens }: Tables): SingleUseTokenRepository {
  return {
    async insert(token) {
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
