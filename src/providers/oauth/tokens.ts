/** The provider's tokens, for calls to its API. They are handed out once and kept nowhere. */
import type { TokenEndpointResponse } from 'openid-client';
import type { Clock } from '../../kit/clock.js';

export interface OAuthTokens {
  accessToken: string;
  refreshToken?: string;
  /** Checked; providers with explicit endpoints have none. */
  idToken?: string;
  /** When the access token ends, where the provider says so. */
  expiresAt?: Date;
  /** The scopes that were granted, separated by spaces, where the provider says so. */
  scope?: string;
}

export function tokensOf(answer: TokenEndpointResponse, clock: Clock): OAuthTokens {
  const { access_token, refresh_token, id_token, expires_in, scope } = answer;
  const expiresAt = expires_in === undefined ? undefined : new Date(clock() + expires_in * 1000);
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(id_token !== undefined && { idToken: id_token }),
    // A number that no date can hold says nothing.
    ...(expiresAt && !Number.isNaN(expiresAt.getTime()) && { expiresAt }),
    ...(scope !== undefined && { scope }),
  };
}
