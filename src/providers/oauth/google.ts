/**
 * Sign-in with the built-in identity provider (specification 1, 4.1, 4.3): Google, or any OpenID provider that
 * `issuer` puts in its place.
 */
import type { IdentityProfile } from '../../domain/identity.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { optional } from '../../kit/input.js';
import { isSafeUrl } from '../../kit/link-targets.js';
import { absoluteUrl, hasMethod, requiredText } from '../../kit/option-types.js';
import type { RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { Zod } from '../../runtime/load.js';
import { AccountLinking } from './account-linking.js';
import { AuthorizationFlow, pkceChallenge, type StartedRedirect } from './authorization-flow.js';
import { ProviderConnection, type ExchangeChecks } from './connection.js';
import { standardProfile } from './profile.js';

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
type Tools = Pick<Toolkit, 'clock' | 'events' | 'keys' | 'limiter' | 'mailboxProof' | 'signIn' | 'storage'>;

export interface AuthUrlOptions {
  state?: string;
  scopes?: readonly string[];
  accessType?: 'online' | 'offline';
  prompt?: string;
  loginHint?: string;
}

export interface IdentitySignInResult extends SignInResult {
  profile: IdentityProfile;
}

export class GoogleProvider {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  private readonly connection: ProviderConnection;
  private readonly flow: AuthorizationFlow;
  private readonly accounts: AccountLinking;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.redirectUri = options.redirectUri;
    const { clientId, clientSecret, redirectUri, issuer } = options;
    this.connection = new ProviderConnection({ clientId, clientSecret, redirectUri, server: { issuer } });
    this.flow = new AuthorizationFlow(name, tools);
    this.accounts = new AccountLinking(name, 'verified-email', tools);
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
    return this.finish(new URLSearchParams({ code }), {}, optional(context));
  }

  /**
   * `getAuthUrl` with state, nonce and PKCE (RFC 9700, 2.1). Keep `transaction` in a cookie of this browser and give
   * it to `finishRedirect`. The routes do that.
   * @param appState comes back from `finishRedirect`; at most 512 characters.
   */
  async startRedirect(appState?: string): Promise<StartedRedirect> {
    return this.flow.start({ appState }, ({ state, nonce, codeVerifier }) =>
      this.authorizationUrl({ state }, { nonce, ...pkceChallenge(codeVerifier) }),
    );
  }

  /**
   * Signs in with the whole query of a callback, if it belongs to the browser that holds `transaction`, once.
   * @throws OAuthError for everything that does not hold; InvalidRequestError for what is no query.
   */
  async finishRedirect(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext = {},
  ): Promise<IdentitySignInResult & { appState?: string }> {
    context = optional(context);
    if (!hasMethod(query, 'getAll')) throw new InvalidRequestError('query must be URLSearchParams.');
    const { bound, appState } = await this.flow.finish(query, transaction);
    return { ...(await this.finish(query, bound, context)), appState };
  }

  private async finish(answer: URLSearchParams, checks: ExchangeChecks, context: RequestContext) {
    const profile = standardProfile(await this.connection.exchange(answer, checks));
    const { user, created } = await this.accounts.resolve(profile, context);
    return { ...(await this.tools.signIn.complete(name, user, created, context)), profile };
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
