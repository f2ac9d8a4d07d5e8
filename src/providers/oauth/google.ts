/**
 * Sign-in with the built-in identity provider (specification 1, 4.1, 4.3): Google, or any OpenID provider that
 * `issuer` puts in its place.
 */
import { InvalidRequestError } from '../../errors/catalog.js';
import { optional } from '../../kit/input.js';
import { isSafeUrl } from '../../kit/link-targets.js';
import { absoluteUrl, requiredText } from '../../kit/option-types.js';
import type { RequestContext } from '../../kit/sign-in.js';
import type { Zod } from '../../runtime/load.js';
import { pkceChallenge, type BoundValues, type StartedRedirect } from './authorization-flow.js';
import { ProviderConnection, type ExchangeChecks } from './connection.js';
import { standardProfile } from './profile.js';
import {
  RedirectSignIn,
  type IdentitySignInResult,
  type OAuthRedirectResult,
  type RedirectTools,
} from './redirect-sign-in.js';

const name = 'google';

export const googleOptions = (z: Zod) =>
  z.strictObject({
    clientId: requiredText(z),
    clientSecret: requiredText(z),
    /** Your router's `/google/callback` (or `/idp/callback`), as registered with the provider. */
    redirectUri: absoluteUrl(z),
    scopes: z.array(z.string().min(1)).min(1).default(['openid', 'email', 'profile']),
    /** Another OpenID provider in Google's place. Plain http only on loopback. */
    issuer: absoluteUrl(z, isSafeUrl).default('https://accounts.google.com'),
  });

type Options = ReturnType<ReturnType<typeof googleOptions>['parse']>;

export interface AuthUrlOptions {
  state?: string;
  scopes?: readonly string[];
  accessType?: 'online' | 'offline';
  prompt?: string;
  loginHint?: string;
}

export class GoogleProvider {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  private readonly connection: ProviderConnection;
  private readonly redirects: RedirectSignIn;

  constructor(
    private readonly options: Options,
    tools: RedirectTools,
  ) {
    this.redirectUri = options.redirectUri;
    const { clientId, clientSecret, redirectUri, issuer } = options;
    this.connection = new ProviderConnection({ clientId, clientSecret, redirectUri, server: { issuer } });
    const steps = {
      authorizationUrl: ({ state, nonce, codeVerifier }: BoundValues) =>
        this.authorizationUrl({ state }, { nonce, ...pkceChallenge(codeVerifier) }),
      profileOf: (answer: URLSearchParams, checks: ExchangeChecks) => this.profileOf(answer, checks),
    };
    this.redirects = new RedirectSignIn(name, 'verified-email', steps, tools);
  }

  /**
   * The provider's sign-in page. Bind `state` to the browser yourself and check it at the callback, or use the
   * router, which also adds a nonce and PKCE.
   * @throws InvalidRequestError; OAuthError when the provider cannot be reached.
   */
  async getAuthUrl(options: AuthUrlOptions = {}): Promise<string> {
    return this.authorizationUrl(optional(options), {});
  }

  /**
   * Signs in with the code of a callback.
   * @throws InvalidRequestError; OAuthError for a code or an ID token that does not hold.
   */
  async handleCallback(code: string, context: RequestContext = {}): Promise<IdentitySignInResult> {
    if (typeof code !== 'string' || code === '') throw new InvalidRequestError('code must be a string.');
    context = optional(context);
    return this.redirects.signIn(await this.profileOf(new URLSearchParams({ code }), {}), context);
  }

  /**
   * `getAuthUrl` with state, nonce and PKCE (RFC 9700, 2.1). Keep `transaction` in a cookie of this browser and give
   * it to `finishRedirect`. The routes do that.
   * @param appState comes back from `finishRedirect`; at most 512 characters.
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
   * Signs in with the whole query of a callback, if it belongs to the browser that holds `transaction`, once; or links, after `startLink`.
   * @throws OAuthError for everything that does not hold; InvalidRequestError for what is no query. After `startLink` also
   * TokenInvalidError, unless `context.sessionToken` is a live session of the user who began.
   */
  async finishRedirect(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext = {},
  ): Promise<OAuthRedirectResult> {
    return this.redirects.finish(query, transaction, context);
  }

  private async profileOf(answer: URLSearchParams, checks: ExchangeChecks) {
    return standardProfile(await this.connection.exchange(answer, checks));
  }

  private async authorizationUrl(options: AuthUrlOptions, extra: Record<string, string>): Promise<string> {
    const { state, scopes = this.options.scopes, accessType, prompt, loginHint } = options;
    if (!Array.isArray(scopes)) throw new InvalidRequestError('scopes must be a list.');
    return this.connection.authorizationUrl({
      response_type: 'code',
      scope: scopes.join(' '),
      ...(state !== undefined && { state }),
      ...(accessType !== undefined && { access_type: accessType }),
      ...(prompt !== undefined && { prompt }),
      ...(loginHint !== undefined && { login_hint: loginHint }),
      ...extra,
    });
  }
}
