/**
 * One OpenID provider: discovery, the authorization request and the exchange of its answer, by `openid-client`.
 * The ID token is validated in full, signature included (OpenID Connect Core 3.1.3.7).
 */
import type * as OpenIdClient from 'openid-client';
import type { IdentityProfile } from '../../domain/identity.js';
import { OAuthError } from '../../errors/catalog.js';
import { isLoopback } from '../../kit/link-targets.js';
import { cappedFetch } from './capped-fetch.js';

export interface OpenIdOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

/** What the browser that comes back must match. Absent for programmatic callers, who bind `state` themselves. */
export interface ExchangeChecks {
  state?: string;
  nonce?: string;
  codeVerifier?: string;
}

const timeoutSec = 10;

export class OpenIdConnection {
  private connecting:
    Promise<{ client: typeof OpenIdClient; config: OpenIdClient.Configuration }> | undefined;

  constructor(private readonly options: OpenIdOptions) {}

  async authorizationUrl(parameters: Record<string, string>): Promise<URL> {
    const { client, config } = await this.connect();
    return client.buildAuthorizationUrl(config, { redirect_uri: this.options.redirectUri, ...parameters });
  }

  /** @param answer the query of the callback. @throws OAuthError for everything that does not hold. */
  async exchange(answer: URLSearchParams, checks: ExchangeChecks): Promise<IdentityProfile> {
    const { client, config } = await this.connect();
    const callback = new URL(this.options.redirectUri);
    callback.search = answer.toString();
    // An answer rebuilt from its code alone names no issuer, which some providers promise to do (RFC 9207).
    if (checks.state === undefined) callback.searchParams.set('iss', config.serverMetadata().issuer);
    try {
      const tokens = await client.authorizationCodeGrant(config, callback, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('The provider sent no ID token.');
      // OpenID Connect Core, 2: at most 255 ASCII characters. A longer one would be no key to store.
      if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub)) throw new Error('The provider sent an invalid subject.');
      // Some providers put the address into the userinfo answer only.
      const needsUserInfo =
        claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
      const userInfo = needsUserInfo
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {};
      return profileOf(claims, needsUserInfo ? userInfo : claims);
    } catch (error) {
      throw new OAuthError(undefined, { cause: error });
    }
  }

  private async connect() {
    // A discovery that failed is not remembered: the provider may be back at the next try.
    this.connecting ??= this.discover().catch((error: unknown) => {
      this.connecting = undefined;
      throw new OAuthError('The identity provider could not be reached.', { cause: error });
    });
    return this.connecting;
  }

  private async discover() {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.options;
    const server = new URL(issuer);
    const isLocal = server.protocol === 'http:' && isLoopback(server.hostname);
    const config = await client.discovery(
      server,
      clientId,
      clientSecret,
      client.ClientSecretPost(clientSecret),
      {
        timeout: timeoutSec,
        [client.customFetch]: cappedFetch,
        // Plain http for loopback alone: openid-client marks the switch as deprecated so that it stands out.
        execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
      },
    );
    return { client, config };
  }
}

/** @param contact where the address comes from, and with it the word on whether it is verified. */
function profileOf(claims: Record<string, unknown>, contact: Record<string, unknown>): IdentityProfile {
  const raw = { ...contact, ...claims };
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    id: claims['sub'] as string,
    email: text(contact['email']),
    // The boolean and nothing like it: some providers send the text "false".
    emailVerified: contact['email_verified'] === true,
    name: text(raw['name']),
    picture: text(raw['picture']),
    raw,
  };
}
