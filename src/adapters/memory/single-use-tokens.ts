/** Single-use tokens in memory. */
import { hasAccountState, userOfToken } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';

export function memorySingleUseTokens({ tokens, users }: Tables): SingleUseTokenRepository {
  return {
    async insert(token) {
      const userId = userOfToken(token);
      const user = userId === null ? undefined : users.get(userId);
      if (userId !== null && !user) return;
      if (token.account && (!user || !hasAccountState(user, token.account))) return;
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
