/**
 * Sign-in with any provider that speaks OpenID Connect, or OAuth 2.0 with a userinfo endpoint (specification 4.3, `oauth`; RFC 9700).
 * One instance per entry of `providers.oauth`.
 */
import * as z from 'zod';
import { randomToken } from '../../crypto/random.js';
import { OAuthError } from '../../errors/catalog.js';
import { existingMember } from '../../core/sessions/existing-user.js';
import { checkInput, optional, parseInput } from '../../core/support/input.js';
import { refuseKeysUnknownTo } from '../../core/support/known-keys.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { BoundValues, StartedRedirect } from './authorization-flow.js';
import { clientOptionsOf } from './client-options.js';
import { ProviderConnection, type ExchangeChecks } from './connection.js';
import { oauthScopes, protocolParameters, serverOf, type OAuthOptions } from './oauth-options.js';
import { mappedProfile, standardProfile } from './profile.js';
import {
  RedirectSignIn,
  type IdentitySignInResult,
  type LinkedIdentity,
  type OAuthRedirectResult,
  type RedirectTools,
  type StartRedirectOptions,
} from './redirect-sign-in.js';
import { tokensOf, type OAuthTokens } from './tokens.js';
import { lazily } from '../../runtime/load.js';

const authUrlInput = lazily(
  () =>
    z.object({
      state: z.string().min(1, 'must not be empty').optional(),
      scopes: oauthScopes().readonly().optional(),
      params: z
        .record(
          z
            .string()
            .refine((name) => !protocolParameters.has(name), 'must not be a parameter of the protocol'),
          z.string(),
        )
        .optional(),
    }) satisfies z.ZodType<OAuthUrlOptions>,
);
const codeInput = lazily(
  () =>
    z.object({
      code: z.string().min(1),
      codeVerifier: z.string().min(1).optional(),
    }) satisfies z.ZodType<OAuthCode>,
);

/** Parameters of the authorization request. */
export interface OAuthUrlOptions {
  /** Returned with the code; random by default. Bind it to the browser. */
  state?: string | undefined;
  /** Override the configured scopes. */
  scopes?: readonly string[] | undefined;
  /** Additional parameters. They must not override those of the protocol. */
  params?: Record<string, string> | undefined;
}
/** What the provider has sent to the callback. */
export interface OAuthCode {
  code: string;
  /** From `getAuthUrl`. Required for every code whose request had a challenge. */
  codeVerifier?: string | undefined;
}

export interface OAuthAuthUrl {
  url: string;
  /** For the exchange (RFC 7636). Keep it with `state`, on the server or in an HttpOnly cookie. */
  codeVerifier: string;
  state: string;
}

export interface OAuthSignInResult extends IdentitySignInResult {
  /** For calls to the provider's API. They are not stored. */
  tokens: OAuthTokens;
}

export class OAuthProvider {
  /** The URL to which the provider redirects the browser after sign-in. */
  readonly redirectUri: string;
  private readonly connection: ProviderConnection;
  private readonly redirects: RedirectSignIn;

  constructor(
    readonly name: string,
    private readonly options: OAuthOptions,
    private readonly tools: RedirectTools,
  ) {
    const { clientId, clientSecret, redirectUri } = options;
    this.redirectUri = redirectUri;
    const client = { clientId, clientSecret, redirectUri, ...clientOptionsOf(options) };
    this.connection = new ProviderConnection({ ...client, server: serverOf(options) }, name, tools);
    const steps = {
      authorizationUrl: ({ state, ...bound }: BoundValues) =>
        this.authorizationUrl({
          ...this.scopeParameter(),
          state,
          ...this.connection.boundParameters(bound),
        }),
      profileOf: async (answer: URLSearchParams, checks: ExchangeChecks) =>
        (await this.exchange(answer, checks)).profile,
    };
    this.redirects = new RedirectSignIn(name, options, steps, tools);
  }

  /**
   * Returns the URL of the provider's sign-in page, with PKCE unless `pkce` is false. Keep `state` and `codeVerifier` bound to this browser.
   * @throws InvalidRequestError; OAuthError if the provider cannot be reached.
   */
  async getAuthUrl(options: OAuthUrlOptions = {}): Promise<OAuthAuthUrl> {
    const { state = randomToken(), scopes, params } = parseInput(authUrlInput, optional(options));
    const codeVerifier = randomToken();
    const url = await this.authorizationUrl({
      ...params,
      ...this.scopeParameter(scopes),
      state,
      ...this.connection.boundParameters({ codeVerifier }),
    });
    return { url, codeVerifier, state };
  }

  /**
   * Signs in with the code of a callback whose `state` you have checked.
   * @throws OAuthError for every invalid response, and for an address that has an account if `linking` is `explicit`.
   */
  async handleCallback(input: OAuthCode, context: RequestContext = {}): Promise<OAuthSignInResult> {
    const { code, codeVerifier } = checkedCode(input);
    context = parseContext(context);
    let tokens: OAuthTokens | undefined;
    const readProfile = async () => {
      const exchanged = await this.exchange(new URLSearchParams({ code }), { codeVerifier });
      tokens = exchanged.tokens;
      return exchanged.profile;
    };
    const signedIn = await this.redirects.signIn(readProfile, context);
    return { ...signedIn, tokens: tokens! };
  }

  /**
   * Links the account at the provider to a signed-in user who requested it. Does not change the user's address.
   * @throws UserNotFoundError; OAuthError for an invalid code and for an account that another user has linked;
   * TokenInvalidError if every session of the user ended in the meantime; NotAuthorizedError for a guest, whom `sessionsProvider.upgrade` makes a user first.
   */
  async linkIdentity(userId: string, input: OAuthCode): Promise<LinkedIdentity> {
    const user = await existingMember(this.tools.storage, userId);
    const { code, codeVerifier } = checkedCode(input);
    return this.redirects.link(user, new URLSearchParams({ code }), { codeVerifier });
  }

  /**
   * `getAuthUrl` with everything bound to the browser (RFC 9700, 2.1). Keep `transaction` in a cookie of this browser and give it to
   * `finishRedirect`.
   * @param appState returned by `finishRedirect`; at most 512 characters.
   * @param options.remember whether the browser keeps the session when it closes. Default true.
   * @throws InvalidRequestError; OAuthError if the provider cannot be reached.
   */
  async startRedirect(appState?: string, options?: StartRedirectOptions): Promise<StartedRedirect> {
    return this.redirects.start(appState, options);
  }

  /**
   * Like `startRedirect`, to link the account at the provider to a signed-in user. `finishRedirect` links it if the browser
   * returns with an active session of the same user. Protect the route that calls this against cross-site requests.
   * @throws as `startRedirect`; UserNotFoundError; NotAuthorizedError for a guest.
   */
  async startLink(userId: string, appState?: string, context: RequestContext = {}): Promise<StartedRedirect> {
    return this.redirects.startLink(userId, appState, context);
  }

  /**
   * Signs in with the whole query of a callback, or the fields of its form, if it belongs to the browser that has `transaction`,
   * once; or links, after `startLink`. Does not return the provider's tokens.
   * @throws OAuthError for every invalid response. After `startLink` also TokenInvalidError, unless `context.sessionToken` is
   * an active session of the user who started, and what `linkIdentity` throws.
   */
  async finishRedirect(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext = {},
  ): Promise<OAuthRedirectResult> {
    return this.redirects.finish(query, transaction, context);
  }

  private exchange(answer: URLSearchParams, checks: ExchangeChecks) {
    const { mapProfile } = this.options;
    return this.connection.exchange(answer, checks, async (exchanged) => ({
      profile: await (mapProfile ? mappedProfile(exchanged, mapProfile) : standardProfile(exchanged)),
      tokens: tokensOf(exchanged.tokens, this.tools.clock),
    }));
  }

  /** Absent if no scope is requested: an empty scope is malformed (RFC 6749, 3.3). */
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

/** @throws InvalidRequestError for no input at all, and for an unknown key; OAuthError otherwise: a callback without a code is an invalid response. */
function checkedCode(input: OAuthCode): OAuthCode {
  checkInput(input);
  refuseKeysUnknownTo(codeInput(), input);
  const parsed = codeInput().safeParse(input);
  if (parsed.success) return parsed.data;
  const detail = '`code`, and `codeVerifier` if given, must be non-empty strings.';
  throw new OAuthError(detail, { reason: 'provider_error' });
}
