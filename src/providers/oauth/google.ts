/**
 * Sign-in with the built-in identity provider (specification 1, 4.1, 4.3): Google, or any OpenID provider that
 * `issuer` puts in its place.
 */
import { constantTimeEqual, sha256 } from '../../crypto/digest.js';
import { randomToken } from '../../crypto/random.js';
import { openToken, signToken } from '../../crypto/signed-token.js';
import type { IdentityProfile } from '../../domain/identity.js';
import { InvalidRequestError, OAuthError } from '../../errors/catalog.js';
import { optional } from '../../kit/input.js';
import { isSafeUrl } from '../../kit/link-targets.js';
import { absoluteUrl, hasMethod, requiredText } from '../../kit/option-types.js';
import type { RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import type { Zod } from '../../runtime/load.js';
import { AccountLinking } from './account-linking.js';
import { OpenIdConnection, type ExchangeChecks } from './openid-connection.js';

const transactionTtlMs = 10 * 60_000;

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

/** What `startRedirect` binds to the browser, kept in a signed cookie until the callback. */
interface Transaction {
  state: string;
  nonce: string;
  codeVerifier: string;
  appState?: string;
}

export class GoogleProvider {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
  private readonly connection: OpenIdConnection;
  private readonly accounts: AccountLinking;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.redirectUri = options.redirectUri;
    this.connection = new OpenIdConnection(options);
    this.accounts = new AccountLinking('google', tools);
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
  async startRedirect(appState?: string): Promise<{ url: string; transaction: string; expiresAt: Date }> {
    if (appState !== undefined && (typeof appState !== 'string' || appState.length > 512)) {
      throw new InvalidRequestError('state must be a string of at most 512 characters.');
    }
    const { clock, keys } = this.tools;
    const bound: Transaction = {
      state: randomToken(),
      nonce: randomToken(),
      codeVerifier: randomToken(),
      appState,
    };
    const url = await this.authorizationUrl(
      { state: bound.state },
      // RFC 7636, 4.2: the challenge is the verifier's SHA-256 in base64url.
      { nonce: bound.nonce, code_challenge: sha256(bound.codeVerifier), code_challenge_method: 'S256' },
    );
    const expiresAt = clock() + transactionTtlMs;
    const { token } = signToken(keys, 'oauth_transaction', JSON.stringify(bound), expiresAt);
    return { url, transaction: token, expiresAt: new Date(expiresAt) };
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
    const { clock, keys, limiter } = this.tools;
    context = optional(context);
    if (!hasMethod(query, 'getAll')) throw new InvalidRequestError('query must be URLSearchParams.');
    const opened = openToken(keys, 'oauth_transaction', transaction, clock());
    if (opened.status !== 'valid')
      throw new OAuthError('This sign-in was not started in this browser, or too long ago.');
    const { appState, ...checks } = JSON.parse(opened.subject) as Transaction;
    const [state, ...others] = query.getAll('state');
    if (state === undefined || others.length > 0 || !constantTimeEqual(state, checks.state)) {
      throw new OAuthError('The answer does not belong to this sign-in.');
    }
    if (!(await limiter.first('oauth', opened.digest, transactionTtlMs)))
      throw new OAuthError('This answer was used before.');
    return { ...(await this.finish(query, checks, context)), appState };
  }

  private async finish(answer: URLSearchParams, checks: ExchangeChecks, context: RequestContext) {
    const profile = await this.connection.exchange(answer, checks);
    const { user, created } = await this.accounts.resolve(profile, context);
    return { ...(await this.tools.signIn.complete('google', user, created, context)), profile };
  }

  private async authorizationUrl(options: AuthUrlOptions, extra: Record<string, string>): Promise<string> {
    const { state, scopes = this.options.scopes, accessType, prompt, loginHint } = options;
    if (!Array.isArray(scopes)) throw new InvalidRequestError('scopes must be a list.');
    const url = await this.connection.authorizationUrl({
      response_type: 'code',
      scope: scopes.join(' '),
      ...(state !== undefined && { state }),
      ...(accessType !== undefined && { access_type: accessType }),
      ...(prompt !== undefined && { prompt }),
      ...(loginHint !== undefined && { login_hint: loginHint }),
      ...extra,
    });
    return url.href;
  }
}
