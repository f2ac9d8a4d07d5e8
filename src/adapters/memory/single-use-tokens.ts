/** Single-use tokens in memory. */
import { userOfToken, type SingleUseToken, type TokenPurpose } from '../../domain/single-use-token.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';

export function memorySingleUseTokens({ tokens, users }: Tables): SingleUseTokenRepository {
  const find = (purpose: TokenPurpose, digest: string, now: Date): SingleUseToken | null => {
    const token = tokens.get(digest);
    return token?.purpose === purpose && token.expiresAt > now ? token : null;
  };
  return {
    async insert(token) {
      const userId = userOfToken(token);
      if (userId !== null && !users.has(userId)) return;
      tokens.set(token.digest, copy(token));
    },
    async claim(token) {
      if (tokens.has(token.digest)) return false;
      tokens.set(token.digest, copy(token));
      return true;
    },
    find: async (purpose, digest, now) => copy(find(purpose, digest, now)),
    async consume(purpose, digest, now) {
      const token = find(purpose, digest, now);
      if (token) tokens.delete(digest);
      return token;
    },
    async discard(digest) {
      tokens.delete(digest);
    },
  };
}
