/** Fetches the profile from a provider without ID tokens: with the access token, from the configured endpoint. */
import type * as OpenIdClient from 'openid-client';
import { withTimeout } from '../../core/support/timeouts.js';
import type { ProviderRequests } from './provider-requests.js';

export interface UserInfoRequest {
  /** The configured `userInfoEndpoint`. */
  endpoint: string;
  /**
   * Sends a GET with the access token. Returns the parsed JSON, with integers above 2^53 as strings; throws for any other response, any status but 200, a redirect, more than 1 MB
   * or more than 10 seconds.
   */
  get: (url: string, headers?: Record<string, string>) => Promise<unknown>;
  /** Like `get`, for what the sign-in does not need. Returns undefined if the request fails, which is logged. */
  getOptional: (url: string, headers?: Record<string, string>) => Promise<unknown>;
}

/** What becomes `raw`: an object. */
export type FetchUserInfo = (
  request: UserInfoRequest,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** The loaded openid-client and its configuration of one provider. */
export interface Connected {
  client: typeof OpenIdClient;
  config: OpenIdClient.Configuration;
}

interface Endpoint {
  userInfoEndpoint: string;
  fetchUserInfo?: FetchUserInfo | undefined;
}

/** @throws Error unless the result is an object. */
export async function askUserInfo(
  { client, config }: Connected,
  { userInfoEndpoint: endpoint, fetchUserInfo = ask }: Endpoint,
  accessToken: string,
  requests: ProviderRequests,
): Promise<Record<string, unknown>> {
  const get = async (url: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const sent = new Headers({ accept: 'application/json', ...headers });
    const target = new URL(url);
    const response = await client.fetchProtectedResource(config, accessToken, target, 'GET', null, sent);
    if (response.status !== 200) throw new Error(`${target.pathname} answered ${response.status}.`);
    return response.json();
  };
  const getOptional = (url: string, headers?: Record<string, string>) =>
    requests.optional(() => get(url, headers));
  const answer: unknown = await withTimeout(fetchUserInfo({ endpoint, get, getOptional }), 'fetchUserInfo');
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new Error('The userinfo endpoint did not return a JSON object.');
  }
  return answer as Record<string, unknown>;
}

const ask: FetchUserInfo = async ({ endpoint, get }) => (await get(endpoint)) as Record<string, unknown>;
