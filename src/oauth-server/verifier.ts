/** Checks access tokens for `requireBearerAuth` of `@modelcontextprotocol/express`. */
import { AccessTokenRefusal, checkAccessToken, type AccessTools } from './access-tokens.js';
import type { AccessTokenInfo } from './interface.js';

/** How the packages of MCP recognize their own errors, also those of another copy or version. */
const brands = Symbol.for('mcp.sdk.errorBrands');

/** An `OAuthError` to the packages of MCP, which answer 500 for any other error of a verifier. */
class TokenRefusal extends Error {
  readonly [brands] = new Set(['mcp.OAuthError']);

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'OAuthError';
  }

  toResponseObject(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.message };
  }
}

export function accessTokenVerifier(
  tools: AccessTools,
  resource: string,
): { verifyAccessToken: (token: string) => Promise<AccessTokenInfo> } {
  return {
    verifyAccessToken: async (token) => {
      try {
        return await checkAccessToken(tools, token, resource);
      } catch (error) {
        if (!(error instanceof AccessTokenRefusal)) throw error;
        throw new TokenRefusal(error.code ?? 'invalid_token', error.message);
      }
    },
  };
}
