/**
 * Sign-in with any provider that speaks OpenID Connect, or OAuth 2.0 with a userinfo endpoint (specification 4.3, `oauth`; RFC 9700).
 * One instance per entry of `providers.oauth`.
 */
import { randomToken } from '../../crypto/random.js';
import type { IdentityProfile, ServiceIdentity } from '../../domain/identity.js';
import { toServiceUser, type StoredUser } from '../../domain/user.js';
import { InvalidRequestError, OAuthError, TokenInvalidError } from '../../errors/catalog.js';
import { existingMember } from '../../kit/existing-user.js';
import { checkInput, optional } from '../../kit/input.js';
import { hasMethod } from '../../kit/option-types.js';
import type { RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import { AccountLinking } from './account-linking.js';
import {
  AuthorizationFlow,
  pkceChallenge,
  type RedirectPurpose,
  type StartedRedirect,
} from './authorization-flow.js';
import { ProviderConnection, type ExchangeChecks } from './connection.js';
import { serverOf, type OAuthOptions } from './oauth-options.js';
import { mappedProfile, standardProfile } from './profile.js';
import { parseParams, parseScopes } from './protocol-parameters.js';
import { tokensOf, type OAuthTokens } from './tokens.js';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'keys' | 'limiter' | 'mailboxProof' | 'signIn' | 'storage'>;

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

export interface OAuthRedirectResult extends SignInResult {
  profile: IdentityProfile;
  /** What `startLink` asked for. Nobody was signed in then: the user is who was. */
  identity?: ServiceIdentity;
  appState?: string;
}

export interface OAuthSignInResult extends SignInResult {
  profile: IdentityProfile;
  /** For calls to the provider's API. Nothing keeps them. */
  tokens: OAuthTokens;
}

export class OAuthProvider {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  private readonly connection: ProviderConnection;
  private readonly flow: AuthorizationFlow;
  private readonly accounts: AccountLinking;

  constructor(
    readonly name: string,
    private readonly options: OAuthOptions,
    private readonly tools: Tools,
  ) {
    const { clientId, clientSecret, redirectUri, linking } = options;
    this.redirectUri = redirectUri;
    const server = serverOf(options);
    this.connection = new ProviderConnection({ clientId, clientSecret, redirectUri, server });
    this.flow = new AuthorizationFlow(name, tools);
    this.accounts = new AccountLinking(name, linking, tools);
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
    return this.signIn(new URLSearchParams({ code }), { codeVerifier }, optional(context));
  }

  /**
   * Links the account at the provider to a user who is signed in and asked for it. Their address stays as it is.
   * @throws UserNotFoundError; OAuthError for a code that does not hold and for an account that somebody else has linked;
   * TokenInvalidError when every session of the user ended meanwhile; NotAuthorizedError for a guest, whom `sessionsProvider.upgrade` makes a user first.
   */
  async linkIdentity(
    userId: string,
    input: OAuthCode,
  ): Promise<{ identity: ServiceIdentity; profile: IdentityProfile }> {
    const user = await existingMember(this.tools.storage, userId);
    const { code, codeVerifier } = checkedCode(input);
    return this.link(user, new URLSearchParams({ code }), { codeVerifier });
  }

  /**
   * `getAuthUrl` with everything bound to the browser (RFC 9700, 2.1). Keep `transaction` in a cookie of this browser and give it to
   * `finishRedirect`.
   * @param appState comes back from `finishRedirect`; at most 512 characters.
   * @throws InvalidRequestError; OAuthError when the provider cannot be reached.
   */
  async startRedirect(appState?: string): Promise<StartedRedirect> {
    return this.begin({ appState });
  }

  /**
   * As `startRedirect`, for a user who is signed in and wants to link their account at the provider. `finishRedirect` links it, if
   * the browser comes back with a live session of the same user. Not for a page of another site to call.
   * @throws as `startRedirect`; UserNotFoundError; NotAuthorizedError for a guest.
   */
  async startLink(userId: string, appState?: string): Promise<StartedRedirect> {
    const user = await existingMember(this.tools.storage, userId);
    return this.begin({ appState, linkTo: user.id });
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
    if (!hasMethod(query, 'getAll')) throw new InvalidRequestError('query must be URLSearchParams.');
    context = optional(context);
    const { bound, appState, linkTo } = await this.flow.finish(query, transaction);
    if (linkTo !== undefined) return { ...(await this.finishLink(query, bound, linkTo, context)), appState };
    const { tokens: _tokens, ...result } = await this.signIn(query, bound, context);
    return { ...result, appState };
  }

  private async finishLink(
    answer: URLSearchParams,
    checks: ExchangeChecks,
    userId: string,
    context: RequestContext,
  ): Promise<OAuthRedirectResult> {
    const { signIn, storage } = this.tools;
    // Before the session is checked: what ends every session after this moves the epoch that the link needs.
    const user = await storage.users.findById(userId);
    // Who signed out, or in as somebody else, meanwhile must not find their account at the provider with a user they left.
    if (!user || (await signIn.currentUserId(context)) !== user.id) throw new TokenInvalidError();
    return { user: toServiceUser(user), created: false, ...(await this.link(user, answer, checks)) };
  }

  private async link(user: StoredUser, answer: URLSearchParams, checks: ExchangeChecks) {
    const { profile } = await this.exchange(answer, checks);
    return { identity: await this.accounts.linkTo(user, profile), profile };
  }

  /** Guests are purged after a while, and with them the account that somebody believes to have. */
  private begin(purpose: RedirectPurpose): Promise<StartedRedirect> {
    return this.flow.start(purpose, ({ state, nonce, codeVerifier }) =>
      this.authorizationUrl({
        ...this.scopeParameter(),
        state,
        ...(this.connection.isOpenId && { nonce }),
        ...pkceChallenge(codeVerifier),
      }),
    );
  }

  private async signIn(answer: URLSearchParams, checks: ExchangeChecks, context: RequestContext) {
    const { profile, tokens } = await this.exchange(answer, checks);
    const { user, created } = await this.accounts.resolve(profile, context);
    return { ...(await this.tools.signIn.complete(this.name, user, created, context)), profile, tokens };
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
  if (typeof code !== 'string' || code === '') throw new OAuthError('code must be a string.');
  if (codeVerifier === undefined) return { code };
  if (typeof codeVerifier !== 'string' || codeVerifier === '')
    throw new OAuthError('codeVerifier must be a string.');
  return { code, codeVerifier };
}
