/**
 * One identity provider, by `openid-client`: the authorization request and the exchange of its answer. Created by discovery, it uses
 * OpenID, and ID tokens are validated in full, signature included (OpenID Connect Core 3.1.3.7). Created from explicit endpoints, it
 * uses plain OAuth (RFC 6749), and only the userinfo endpoint identifies the user.
 */
import type * as OpenIdClient from 'openid-client';
import { isWellFormed, storableText } from '../../domain/storable-text.js';
import { InvalidRequestError, OAuthError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import type { Logger } from '../../core/support/logger.js';
import { isLoopback } from '../../core/mail/link-targets.js';
import { missingPackage } from '../../runtime/load.js';
import { tolerant } from './answers.js';
import { cappedFetch } from './capped-fetch.js';
import { clientAuthentication, type ClientSecret, type TokenEndpointAuthMethod } from './client-secret.js';
import { oauthFailure, withoutAnswer } from './failure.js';
import { failureReport } from './failure-report.js';
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
  /** Default: what the discovery document announces, else the body. */
  tokenEndpointAuthMethod?: TokenEndpointAuthMethod | undefined;
  /** Whether plain http is allowed for other hosts than this one. */
  allowHttp?: boolean | undefined;
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

  constructor(
    private readonly name: string,
    private readonly options: ConnectionOptions,
    private readonly logger: Logger,
  ) {}

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
      const failure = oauthFailure(error);
      if (failure.reason !== 'access_denied')
        this.report(error, 'the sign-in with an identity provider failed');
      throw failure;
    }
  }

  /** Logs why a request to the provider failed, once. */
  private report(error: unknown, message: string): void {
    if (isServiceError(error)) return;
    this.logger.warn({ event: 'provider_failed', provider: this.name, ...failureReport(error) }, message);
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
    try {
      return await client.fetchUserInfo(config, accessToken, claims.sub);
    } catch (error) {
      // A false response is an attack. If there is none, the ID token is enough to sign in.
      if (!isUnavailable(error)) throw error;
      this.report(
        error,
        'the profile at an identity provider could not be read: the sign-in continues without an address',
      );
      return claims;
    }
  }

  private async connect(): Promise<Connected> {
    // A failed discovery is not cached: the provider may be reachable at the next attempt.
    this.connecting ??= this.makeConnection().catch((error: unknown) => {
      this.connecting = undefined;
      if (isServiceError(error)) throw error;
      this.report(error, 'an identity provider could not be reached');
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
    const { allowHttp = false, server, clientId, clientSecret, tokenEndpointAuthMethod } = this.options;
    const authentication = clientAuthentication(client, clientSecret, tokenEndpointAuthMethod, this.isOpenId);
    const fetch = cappedFetch(allowHttp);
    const isInsecure = (url: string) => new URL(url).protocol === 'http:' && (allowHttp || isLocal(url));
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
      config[client.customFetch] = tolerant(fetch, {
        isOpenId: false,
        isTokenEndpoint: isUrl(server.tokenEndpoint),
      });
      const { authorizationEndpoint, tokenEndpoint, userInfoEndpoint } = server;
      if ([authorizationEndpoint, tokenEndpoint, userInfoEndpoint].some(isInsecure))
        client.allowInsecureRequests(config);
      return { client, config };
    }
    const insecure = isInsecure(server.issuer) ? [client.allowInsecureRequests] : [];
    // Known after the discovery, which is the first request.
    let isTokenEndpoint = (_url: string) => false;
    const config = await client.discovery(new URL(server.issuer), clientId, undefined, authentication, {
      timeout: timeoutSec,
      [client.customFetch]: tolerant(fetch, {
        isOpenId: true,
        isTokenEndpoint: (url) => isTokenEndpoint(url),
      }),
      execute: [client.enableNonRepudiationChecks, ...insecure],
    });
    const { token_endpoint } = config.serverMetadata();
    if (token_endpoint !== undefined) isTokenEndpoint = isUrl(token_endpoint);
    return { client, config };
  }
}

/** Returns a function that compares a request with the URL of an endpoint. */
function isUrl(endpoint: string): (url: string) => boolean {
  const { href } = new URL(endpoint);
  return (url) => url === href;
}

/** Whether an endpoint could not be reached or refused the request: a status of 400 or above. */
function isUnavailable(error: unknown): boolean {
  const { cause, message, name, status } = Object(error) as Record<string, unknown>;
  if (typeof status === 'number') return status >= 400;
  if (name === 'TimeoutError' || message === 'fetch failed') return true;
  return cause !== undefined && cause !== error && isUnavailable(cause);
}

// Plain http for loopback alone: openid-client marks the switch as deprecated so that it stands out.
function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
}
