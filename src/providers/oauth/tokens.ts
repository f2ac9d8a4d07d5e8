/** The provider's tokens, for calls to its API. They are returned once and never stored. */
import type { TokenEndpointResponse } from 'openid-client';
import type { Clock } from '../../core/support/clock.js';

export interface OAuthTokens {
  accessToken: string;
  refreshToken?: string;
  /** Checked; providers with explicit endpoints have none. */
  idToken?: string;
  /** When the access token expires, if the provider reports it. */
  expiresAt?: Date;
  /** The scopes that were granted, separated by spaces, if the provider reports them. */
  scope?: string;
}

export function tokensOf(answer: TokenEndpointResponse, clock: Clock): OAuthTokens {
  const { access_token, refresh_token, id_token, expires_in, scope } = answer;
  const expiresAt = expires_in === undefined ? undefined : new Date(clock() + expires_in * 1000);
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(id_token !== undefined && { idToken: id_token }),
    // A number outside the range of dates is ignored.
    ...(expiresAt && !Number.isNaN(expiresAt.getTime()) && { expiresAt }),
    ...(scope !== undefined && { scope }),
  };
}
