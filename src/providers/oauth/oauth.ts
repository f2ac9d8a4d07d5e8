/**
 * Sign-in with any provider that speaks OpenID Connect, or OAuth 2.0 with a userinfo endpoint (specification 4.3, `oauth`; RFC 9700).
 * One instance per entry of `providers.oauth`.
 */
import { randomToken } from '../../crypto/random.js';
import { InvalidRequestError, OAuthError } from '../../errors/catalog.js';
import { existingMember } from '../../kit/existing-user.js';
import { checkInput, optional } from '../../kit/input.js';
import type { RequestContext } from '../../kit/sign-in.js';
import { pkceChallenge, type BoundValues, type StartedRedirect } from './authorization-flow.js';
import { ProviderConnection, type ExchangeChecks } from './connection.js';
import { serverOf, type OAuthOptions } from './oauth-options.js';
import { mappedProfile, standardProfile } from './profile.js';
import { parseParams, parseScopes } from './protocol-parameters.js';
import {
  RedirectSignIn,
  type IdentitySignInResult,
  type LinkedIdentity,
  type OAuthRedirectResult,
  type RedirectTools,
} from './redirect-sign-in.js';
import { tokensOf, type OAuthTokens } from './tokens.js';

export interface OAuthUrlOptions {
  /** Comes back with the code; by default random. Bind it to the browser. */
  state?: string;
  /** In place of the configured ones. */
  scopes?: readonly string[];
  /** Further parameters. None may set what the protocol sets. */
  params?: Record<string, string>;
}

export interface OAuthAuthUrl {
  url: string;
  /** For the exchange (RFC 7636). Keep it with `state`, out of the browser's sight or in an HttpOnly cookie. */
  codeVerifier: string;
  state: string;
}

export interface OAuthCode {
  code: string;
  /** What `getAuthUrl` gave. Without it only codes are taken whose request had no challenge. */
  codeVerifier?: string;
}

export interface OAuthSignInResult extends IdentitySignInResult {
  /** For calls to the provider's API. Nothing keeps them. */
  tokens: OAuthTokens;
}

export class OAuthProvider {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  private readonly connection: ProviderConnection;
  private readonly redirects: RedirectSignIn;

  constructor(
    readonly name: string,
    private readonly options: OAuthOptions,
    private readonly tools: RedirectTools,
  ) {
    const { clientId, clientSecret, redirectUri, linking } = options;
    this.redirectUri = redirectUri;
    const server = serverOf(options);
    this.connection = new ProviderConnection({ clientId, clientSecret, redirectUri, server });
    const steps = {
      authorizationUrl: ({ state, nonce, codeVerifier }: BoundValues) =>
        this.authorizationUrl({
          ...this.scopeParameter(),
          state,
          ...(this.connection.isOpenId && { nonce }),
          ...pkceChallenge(codeVerifier),
        }),
      profileOf: async (answer: URLSearchParams, checks: ExchangeChecks) =>
        (await this.exchange(answer, checks)).profile,
    };
    this.redirects = new RedirectSignIn(name, linking, steps, tools);
  }

  /**
   * The provider's sign-in page, with PKCE. Keep `state` and `codeVerifier` where only this browser's callback finds them.
   * @throws InvalidRequestError; OAuthError when the provider cannot be reached.
   */
  async getAuthUrl(options: OAuthUrlOptions = {}): Promise<OAuthAuthUrl> {
    const { state = randomToken(), scopes, params } = optional(options);
    if (typeof state !== 'string' || state === '') throw new InvalidRequestError('state must be a string.');
    const codeVerifier = randomToken();
    const url = await this.authorizationUrl({
      ...parseParams(params),
      ...this.scopeParameter(scopes === undefined ? undefined : parseScopes(scopes)),
      state,
      ...pkceChallenge(codeVerifier),
    });
    return { url, codeVerifier, state };
  }

  /**
   * Signs in with the code of a callback whose `state` you have checked.
   * @throws OAuthError for everything that does not hold, and for an address that has an account, where `linking` is `explicit`.
   */
  async handleCallback(input: OAuthCode, context: RequestContext = {}): Promise<OAuthSignInResult> {
    const { code, codeVerifier } = checkedCode(input);
    context = optional(context);
    const { profile, tokens } = await this.exchange(new URLSearchParams({ code }), { codeVerifier });
    return { ...(await this.redirects.signIn(profile, context)), tokens };
  }

  /**
   * Links the account at the provider to a user who is signed in and asked for it. Their address stays as it is.
   * @throws UserNotFoundError; OAuthError for a code that does not hold and for an account that somebody else has linked;
   * TokenInvalidError when every session of the user ended meanwhile; NotAuthorizedError for a guest, whom `sessionsProvider.upgrade` makes a user first.
   */
  async linkIdentity(userId: string, input: OAuthCode): Promise<LinkedIdentity> {
    const user = await existingMember(this.tools.storage, userId);
    const { code, codeVerifier } = checkedCode(input);
    return this.redirects.link(user, new URLSearchParams({ code }), { codeVerifier });
  }

  /**
   * `getAuthUrl` with everything bound to the browser (RFC 9700, 2.1). Keep `transaction` in a cookie of this browser and give it to
   * `finishRedirect`.
   * @param appState comes back from `finishRedirect`; at most 512 characters.
   * @throws InvalidRequestError; OAuthError when the provider cannot be reached.
   */
  async startRedirect(appState?: string): Promise<StartedRedirect> {
    return this.redirects.start(appState);
  }

  /**
   * As `startRedirect`, for a user who is signed in and wants to link their account at the provider. `finishRedirect` links it, if
   * the browser comes back with a live session of the same user. Not for a page of another site to call.
   * @throws as `startRedirect`; UserNotFoundError; NotAuthorizedError for a guest.
   */
  async startLink(userId: string, appState?: string): Promise<StartedRedirect> {
    return this.redirects.startLink(userId, appState);
  }

  /**
   * Signs in with the whole query of a callback, or the fields of its form, if it belongs to the browser that holds `transaction`,
   * once; or links, after `startLink`. The provider's tokens stay inside.
   * @throws OAuthError for everything that does not hold. After `startLink` also TokenInvalidError, unless `context.sessionToken` is
   * a live session of the user who began, and what `linkIdentity` throws.
   */
  async finishRedirect(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext = {},
  ): Promise<OAuthRedirectResult> {
    return this.redirects.finish(query, transaction, context);
  }

  private async exchange(answer: URLSearchParams, checks: ExchangeChecks) {
    const exchanged = await this.connection.exchange(answer, checks);
    const { mapProfile } = this.options;
    const profile = mapProfile ? await mappedProfile(exchanged, mapProfile) : standardProfile(exchanged);
    return { profile, tokens: tokensOf(exchanged.tokens, this.tools.clock) };
  }

  /** Absent where there is none to ask for: an empty scope is malformed (RFC 6749, 3.3). */
  private scopeParameter(asked?: readonly string[]): Record<string, string> {
    const { scopes = this.connection.isOpenId ? ['openid', 'email', 'profile'] : [] } = this.options;
    const scope = (asked ?? scopes).join(' ');
    return scope === '' ? {} : { scope };
  }

  private authorizationUrl(parameters: Record<string, string>): Promise<string> {
    const configured = this.options.authorizationParams;
    return this.connection.authorizationUrl({ ...configured, ...parameters, response_type: 'code' });
  }
}

/** @throws InvalidRequestError for no input at all; OAuthError otherwise: a callback without a code is an answer that does not hold, whoever wrote it. */
function checkedCode(input: OAuthCode): OAuthCode {
  checkInput(input);
  const { code, codeVerifier } = input as Record<keyof OAuthCode, unknown>;
  if (typeof code !== 'string' || code === '') throw providerError('code must be a string.');
  if (codeVerifier === undefined) return { code };
  if (typeof codeVerifier !== 'string' || codeVerifier === '')
    throw providerError('codeVerifier must be a string.');
  return { code, codeVerifier };
}

const providerError = (detail: string) => new OAuthError(detail, { reason: 'provider_error' });
