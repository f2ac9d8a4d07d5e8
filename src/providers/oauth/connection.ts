/**
 * One identity provider, by `openid-client`: the authorization request and the exchange of its answer. Created by discovery, it uses
 * OpenID, and ID tokens are validated in full, signature included (OpenID Connect Core 3.1.3.7). Created from explicit endpoints, it
 * uses plain OAuth (RFC 6749), and only the userinfo endpoint identifies the user.
 */
import type * as OpenIdClient from 'openid-client';
import { isWellFormed, storableText } from '../../domain/storable-text.js';
import { InvalidRequestError, OAuthError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import { isLoopback } from '../../core/mail/link-targets.js';
import { missingPackage } from '../../runtime/load.js';
import { cappedFetch } from './capped-fetch.js';
import { clientAuthentication, type ClientSecret } from './client-secret.js';
import { oauthFailure, withoutAnswer } from './failure.js';
import { plainAnswers } from './plain-answer.js';
import { askUserInfo, type Connected, type FetchUserInfo } from './user-info.js';

export interface ExplicitEndpoints {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userInfoEndpoint: string;
  /** Fetches the profile in a provider-specific way. */
  fetchUserInfo?: FetchUserInfo | undefined;
}

export interface ConnectionOptions {
  clientId: string;
  clientSecret: ClientSecret;
  redirectUri: string;
  /** An issuer, to be discovered, or the endpoints themselves. */
  server: { issuer: string } | ExplicitEndpoints;
}

/** The values that the response must match. Programmatic callers bind `state` themselves and leave it out. */
export interface ExchangeChecks {
  state?: string | undefined;
  nonce?: string | undefined;
  codeVerifier?: string | undefined;
}

export interface Exchanged {
  tokens: OpenIdClient.TokenEndpointResponse;
  /** The claims of the ID token, or the whole userinfo response if there is none. */
  claims: Record<string, unknown>;
  /** The source of the address and of its verification. */
  contact: Record<string, unknown>;
}

/** Seconds, for each request. */
const timeoutSec = 10;

export class ProviderConnection {
  private connecting: Promise<Connected> | undefined;

  constructor(private readonly options: ConnectionOptions) {}

  /** Whether the provider issues ID tokens that we check. Only then is a nonce checked. */
  get isOpenId(): boolean {
    return 'issuer' in this.options.server;
  }

  /** @throws OAuthError if the provider cannot be reached; InvalidRequestError for a parameter with a lone surrogate. */
  async authorizationUrl(parameters: Record<string, string>): Promise<string> {
    for (const [name, value] of Object.entries(parameters)) {
      // A URL would contain another character: a `state` would come back changed.
      if (!isWellFormed(name) || !isWellFormed(value))
        throw new InvalidRequestError(`${storableText(name)} must not contain lone surrogates.`);
    }
    const { client, config } = await this.connect();
    const { redirectUri } = this.options;
    return client.buildAuthorizationUrl(config, { redirect_uri: redirectUri, ...parameters }).href;
  }

  /** @param answer the query of the callback. @throws OAuthError for every invalid response. */
  async exchange(answer: URLSearchParams, checks: ExchangeChecks): Promise<Exchanged> {
    const connected = await this.connect();
    try {
      const callback = this.callbackUrl(connected, answer, checks);
      const { server } = this.options;
      const tokens = await connected.client.authorizationCodeGrant(connected.config, callback, {
        expectedState: checks.state,
        expectedNonce: this.isOpenId ? checks.nonce : undefined,
        pkceCodeVerifier: checks.codeVerifier,
        idTokenExpected: this.isOpenId,
      });
      if (!('issuer' in server)) {
        const answered = await askUserInfo(connected, server, tokens.access_token);
        return { tokens, claims: answered, contact: answered };
      }
      const claims = tokens.claims();
      if (!claims) throw new Error('The provider sent no ID token.');
      return { tokens, claims, contact: await this.contactOf(connected, claims, tokens.access_token) };
    } catch (error) {
      throw oauthFailure(error);
    }
  }

  private callbackUrl({ config }: Connected, answer: URLSearchParams, { state }: ExchangeChecks): URL {
    const callback = new URL(this.options.redirectUri);
    callback.search = answer.toString();
    // An answer rebuilt from its code alone names no issuer, which some providers promise to do (RFC 9207).
    if (state === undefined) callback.searchParams.set('iss', config.serverMetadata().issuer);
    if (!('issuer' in this.options.server)) {
      // Without discovery, no issuer was announced, but that of another server shows by its origin (RFC 9207, 2.4).
      const { origin } = new URL(this.options.server.authorizationEndpoint);
      const isForeign = (iss: string) => !URL.canParse(iss) || new URL(iss).origin !== origin;
      if (callback.searchParams.getAll('iss').some(isForeign))
        throw new Error('The response is from another issuer.');
      callback.searchParams.delete('iss');
    }
    return callback;
  }

  /** Some providers put the address into the userinfo response only, which must be about the same subject. */
  private async contactOf(
    { client, config }: Connected,
    claims: OpenIdClient.IDToken,
    accessToken: string,
  ): Promise<Record<string, unknown>> {
    const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
    if (claims['email'] !== undefined || !hasUserInfo) return claims;
    return client.fetchUserInfo(config, accessToken, claims.sub);
  }

  private async connect(): Promise<Connected> {
    // A failed discovery is not cached: the provider may be reachable at the next attempt.
    this.connecting ??= this.makeConnection().catch((error: unknown) => {
      this.connecting = undefined;
      if (isServiceError(error)) throw error;
      throw new OAuthError('The identity provider could not be reached.', {
        cause: withoutAnswer(error),
        reason: 'provider_error',
      });
    });
    return this.connecting;
  }

  private async makeConnection(): Promise<Connected> {
    const client = await import('openid-client').catch((cause: unknown) => {
      throw missingPackage('openid-client', cause);
    });
    const { server, clientId, clientSecret } = this.options;
    const authentication = clientAuthentication(client, clientSecret);
    if (!('issuer' in server)) {
      const config = new client.Configuration(
        // openid-client wants a name for the server; nothing is compared with this one.
        {
          issuer: new URL(server.authorizationEndpoint).origin,
          authorization_endpoint: server.authorizationEndpoint,
          token_endpoint: server.tokenEndpoint,
          userinfo_endpoint: server.userInfoEndpoint,
        },
        clientId,
        undefined,
        authentication,
      );
      config.timeout = timeoutSec;
      config[client.customFetch] = plainAnswers(cappedFetch, server.tokenEndpoint);
      const { authorizationEndpoint, tokenEndpoint, userInfoEndpoint } = server;
      if ([authorizationEndpoint, tokenEndpoint, userInfoEndpoint].some(isLocal))
        client.allowInsecureRequests(config);
      return { client, config };
    }
    const insecure = isLocal(server.issuer) ? [client.allowInsecureRequests] : [];
    const config = await client.discovery(new URL(server.issuer), clientId, undefined, authentication, {
      timeout: timeoutSec,
      [client.customFetch]: cappedFetch,
      execute: [client.enableNonRepudiationChecks, ...insecure],
    });
    return { client, config };
  }
}

// Plain http for loopback alone: openid-client marks the switch as deprecated so that it stands out.
function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
}
