/** Fetches the profile from a provider without ID tokens: with the access token, from the configured endpoint. */
import type * as OpenIdClient from 'openid-client';
import { withTimeout } from '../../core/support/timeouts.js';

export interface UserInfoRequest {
  /** The configured `userInfoEndpoint`. */
  endpoint: string;
  /**
   * Sends a GET with the access token. Returns the parsed JSON; throws for any other response, any status but 200, a redirect, more than 1 MB
   * or more than 10 seconds.
   */
  get: (url: string, headers?: Record<string, string>) => Promise<unknown>;
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
): Promise<Record<string, unknown>> {
  const get = async (url: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const sent = new Headers({ accept: 'application/json', ...headers });
    const target = new URL(url);
    const response = await client.fetchProtectedResource(config, accessToken, target, 'GET', null, sent);
    if (response.status !== 200) throw new Error(`${target.pathname} answered ${response.status}.`);
    return response.json();
  };
  const answer: unknown = await withTimeout(fetchUserInfo({ endpoint, get }), 'fetchUserInfo');
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new Error('The userinfo endpoint did not return a JSON object.');
  }
  return answer as Record<string, unknown>;
}

const ask: FetchUserInfo = async ({ endpoint, get }) => (await get(endpoint)) as Record<string, unknown>;
