/**
 * One identity provider, by `openid-client`: the authorization request and the exchange of its answer. Created by discovery, it uses
 * OpenID, and ID tokens are validated in full, signature included (OpenID Connect Core 3.1.3.7). Created from explicit endpoints, it
 * uses plain OAuth (RFC 6749), and only the userinfo endpoint identifies the user.
 */
import type * as OpenIdClient from 'openid-client';
import { isWellFormed, storableText } from '../../domain/storable-text.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { isLoopback } from '../../core/support/link-targets.js';
import type { Toolkit } from '../../core/toolkit.js';
import { pkceChallenge } from './authorization-flow.js';
import { loadOpenIdClient } from '../../runtime/load.js';
import { clientAuthentication, secretFor, type ClientSecret } from './client-secret.js';
import type { ClientOptions } from './client-options.js';
import { oauthFailureAnew } from './failure.js';
import { exactClaims, verifyHs256 } from './id-token.js';
import { ProviderRequests } from './provider-requests.js';
import type { ProviderRequest } from './answers.js';
import { askUserInfo, type Connected, type FetchUserInfo } from './user-info.js';

export interface ExplicitEndpoints {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userInfoEndpoint: string;
  /** Fetches the profile in a provider-specific way. */
  fetchUserInfo?: FetchUserInfo | undefined;
}

export interface ConnectionOptions extends ClientOptions {
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
  private readonly requests: ProviderRequests;

  constructor(
    private readonly options: ConnectionOptions,
    name: string,
    { logger, telemetry }: Pick<Toolkit, 'logger' | 'telemetry'>,
  ) {
    this.requests = new ProviderRequests(name, logger, telemetry);
  }

  /** Whether the provider issues ID tokens that we check. Only then is a nonce checked. */
  get isOpenId(): boolean {
    return 'issuer' in this.options.server;
  }

  /** The parameters that bind the response to this sign-in, as far as the provider supports them. */
  boundParameters({ nonce, codeVerifier }: { nonce?: string; codeVerifier: string }): Record<string, string> {
    return {
      ...(this.isOpenId && this.options.nonce && nonce !== undefined && { nonce }),
      ...(this.options.pkce && pkceChallenge(codeVerifier)),
    };
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

  /**
   * Exchanges the code and maps the profile. A failure is logged.
   * @param answer the query of the callback. @param mapProfile errors in it refuse the sign-in, too.
   * @throws OAuthError for every invalid response.
   */
  async exchange<T>(
    answer: URLSearchParams,
    checks: ExchangeChecks,
    mapProfile: (exchanged: Exchanged) => Promise<T>,
  ): Promise<T> {
    const connected = await this.connect();
    const secrets = [...answer.getAll('code'), checks.codeVerifier, checks.nonce];
    return this.requests.observe(secrets, async () => {
      this.requests.enterResponse(answer);
      const exchanged = await this.exchangeCode(connected, answer, checks);
      this.requests.enter({ endpoint: 'profile' });
      return mapProfile(exchanged);
    });
  }

  private async exchangeCode(
    connected: Connected,
    answer: URLSearchParams,
    checks: ExchangeChecks,
  ): Promise<Exchanged> {
    const callback = this.callbackUrl(connected, answer, checks);
    const { clientId, clientSecret, idTokenSignedResponseAlg, nonce, pkce, server, tokenParams } =
      this.options;
    const expected = {
      expectedState: checks.state,
      expectedNonce: this.isOpenId && nonce ? checks.nonce : undefined,
      pkceCodeVerifier: pkce ? checks.codeVerifier : undefined,
      idTokenExpected: this.isOpenId,
    };
    const { client, config } = connected;
    const tokens = await client.authorizationCodeGrant(config, callback, expected, tokenParams);
    if (!('issuer' in server)) {
      const answered = await askUserInfo(connected, server, tokens.access_token, this.requests);
      return { tokens, claims: answered, contact: answered };
    }
    const { id_token: idToken } = tokens;
    if (idToken === undefined) throw new Error('The provider sent no ID token.');
    if (idTokenSignedResponseAlg === 'HS256') verifyHs256(idToken, await secretFor(clientId, clientSecret));
    const claims = exactClaims(idToken);
    const contact = await this.contactOf(connected, claims, tokens);
    return { tokens, claims, contact };
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

  /**
   * Some providers put the address into the userinfo response only, which must be about the same subject. The ID token identifies the
   * user without it, so the sign-in continues if the request fails.
   */
  private async contactOf(
    { client, config }: Connected,
    claims: Record<string, unknown>,
    tokens: OpenIdClient.TokenEndpointResponse & OpenIdClient.TokenEndpointResponseHelpers,
  ): Promise<Record<string, unknown>> {
    const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
    if (typeof claims['email'] === 'string' || !hasUserInfo) return claims;
    const subject = tokens.claims()?.sub ?? '';
    const userInfo = () => client.fetchUserInfo(config, tokens.access_token, subject);
    return (await this.requests.optional(userInfo)) ?? claims;
  }

  private async connect(): Promise<Connected> {
    const client = await loadOpenIdClient();
    // A failed discovery is not cached: the provider may be reachable at the next attempt.
    this.connecting ??= this.requests
      .observe([], () => this.makeConnection(client))
      .catch((error: unknown) => {
        this.connecting = undefined;
        throw error;
      });
    // Callers that wait for the same connection are attempts of different people: an error says whose it is, and is recorded once.
    return this.connecting.catch((error: unknown) => {
      throw oauthFailureAnew(error);
    });
  }

  private async makeConnection(client: typeof OpenIdClient): Promise<Connected> {
    const { allowHttp, clientId, clientSecret, server, idTokenSignedResponseAlg } = this.options;
    const method = this.options.tokenEndpointAuthMethod;
    const isHs256 = idTokenSignedResponseAlg === 'HS256';
    const authentication = clientAuthentication(
      client,
      clientSecret,
      // Most providers without discovery document the body.
      method ?? ('issuer' in server ? null : 'client_secret_post'),
      (secret) => this.requests.conceal(secret),
    );
    let config: OpenIdClient.Configuration | undefined;
    const fetch = this.requests.fetch({
      allowHttp,
      isOpenId: this.isOpenId,
      requestTo: (url) => requestTo(url, config?.serverMetadata()),
    });
    // Plain http for loopback and `allowHttp`: openid-client marks the switch as deprecated so that it stands out.
    const isInsecure = (url: string) => new URL(url).protocol === 'http:' && (allowHttp || isLocal(url));
    if ('issuer' in server) {
      config = await client.discovery(
        new URL(server.issuer),
        clientId,
        isHs256 ? { id_token_signed_response_alg: 'HS256' } : undefined,
        authentication,
        {
          timeout: timeoutSec,
          [client.customFetch]: fetch,
          execute: [
            // It knows no HMAC, which is verified after the exchange.
            ...(isHs256 ? [] : [client.enableNonRepudiationChecks]),
            ...(isInsecure(server.issuer) ? [client.allowInsecureRequests] : []),
          ],
        },
      );
      return { client, config };
    }
    const { authorizationEndpoint, tokenEndpoint, userInfoEndpoint } = server;
    config = new client.Configuration(
      // openid-client wants a name for the server; nothing is compared with this one.
      {
        issuer: new URL(authorizationEndpoint).origin,
        authorization_endpoint: authorizationEndpoint,
        token_endpoint: tokenEndpoint,
        userinfo_endpoint: userInfoEndpoint,
      },
      clientId,
      undefined,
      authentication,
    );
    config.timeout = timeoutSec;
    config[client.customFetch] = fetch;
    if ([authorizationEndpoint, tokenEndpoint, userInfoEndpoint].some(isInsecure))
      client.allowInsecureRequests(config);
    return { client, config };
  }
}

function requestTo(url: string, server: OpenIdClient.ServerMetadata | undefined): ProviderRequest {
  const is = (endpoint: string | undefined) => endpoint !== undefined && new URL(endpoint).href === url;
  if (!server) return 'discovery';
  if (is(server.token_endpoint)) return 'token';
  return is(server.jwks_uri) ? 'jwks' : 'userinfo';
}

const isLocal = (url: string) => isLoopback(new URL(url).hostname);
