/**
 * Sign-in with the built-in identity provider (specification 1, 4.1, 4.3): Google, or the OpenID provider that
 * `issuer` names.
 */
import * as z from 'zod';
import type { IdentityProfile } from '../../domain/identity.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { optional, parseInput } from '../../core/support/input.js';
import { absoluteUrl, requiredString } from '../../core/support/option-types.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { BoundValues, StartedRedirect } from './authorization-flow.js';
import { clientOptions, clientOptionsOf } from './client-options.js';
import { ProviderConnection, type ExchangeChecks } from './connection.js';
import { profileToMetadataOption } from './oauth-options.js';
import { standardProfile } from './profile.js';
import {
  RedirectSignIn,
  type IdentitySignInResult,
  type OAuthRedirectResult,
  type RedirectTools,
  type StartRedirectOptions,
} from './redirect-sign-in.js';
import { lazily } from '../../runtime/load.js';

const name = 'google';

export const googleOptions = lazily(() =>
  z
    .strictObject({
      clientId: requiredString().describe('The client id that the provider issued to you.'),
      clientSecret: requiredString().describe('The client secret that belongs to the client id.'),
      redirectUri: absoluteUrl().describe(
        "Your router's `/google/callback` (or `/idp/callback`), as registered with the provider.",
      ),
      scopes: z
        .array(z.string().min(1))
        .min(1)
        .default(['openid', 'email', 'profile'])
        .describe('The scopes to request from the provider.'),
      issuer: absoluteUrl()
        .default('https://accounts.google.com')
        .describe(
          'The issuer of another OpenID provider, to be used instead of Google. Plain http only on loopback, or with `allowHttp`.',
        ),
      ...clientOptions(),
      profileToMetadata: profileToMetadataOption(),
    })
    .meta({
      title: 'Google',
      description: 'Sign-in with Google or another OpenID provider: [google](providers/google.md).',
    }),
);

type Options = z.output<ReturnType<typeof googleOptions>>;

const authUrlInput = lazily(
  () =>
    z.object({
      state: z.string().optional(),
      scopes: z.array(z.string()).readonly().optional(),
      accessType: z.enum(['online', 'offline']).optional(),
      prompt: z.string().optional(),
      loginHint: z.string().optional(),
    }) satisfies z.ZodType<AuthUrlOptions>,
);

/** Parameters of the authorization request. */
export interface AuthUrlOptions {
  /** Returned with the code; random by default. Bind it to the browser. */
  state?: string | undefined;
  /** Override the configured scopes. */
  scopes?: readonly string[] | undefined;
  accessType?: 'online' | 'offline' | undefined;
  prompt?: string | undefined;
  /** An address or subject that the provider proposes to the user. */
  loginHint?: string | undefined;
}

export class GoogleProvider {
  /** The URL to which the provider redirects the browser after sign-in. */
  readonly redirectUri: string;
  private readonly connection: ProviderConnection;
  private readonly redirects: RedirectSignIn;

  constructor(
    private readonly options: Options,
    tools: RedirectTools,
  ) {
    this.redirectUri = options.redirectUri;
    const { clientId, clientSecret, redirectUri, issuer, profileToMetadata } = options;
    const client = { clientId, clientSecret, redirectUri, ...clientOptionsOf(options) };
    this.connection = new ProviderConnection({ ...client, server: { issuer } }, name, tools);
    const steps = {
      authorizationUrl: ({ state, ...bound }: BoundValues) =>
        this.authorizationUrl({ state }, this.connection.boundParameters(bound)),
      profileOf: (answer: URLSearchParams, checks: ExchangeChecks) => this.profileOf(answer, checks),
    };
    this.redirects = new RedirectSignIn(name, { linking: 'verified-email', profileToMetadata }, steps, tools);
  }

  /**
   * Returns the URL of the provider's sign-in page. Bind `state` to the browser yourself and check it at the callback, or use the
   * router, which also adds a nonce and PKCE.
   * @throws InvalidRequestError; OAuthError if the provider cannot be reached.
   */
  async getAuthUrl(options: AuthUrlOptions = {}): Promise<string> {
    return this.authorizationUrl(parseInput(authUrlInput, optional(options)), {});
  }

  /**
   * Signs in with the code of a callback.
   * @throws InvalidRequestError; OAuthError for an invalid code or ID token.
   */
  async handleCallback(code: string, context: RequestContext = {}): Promise<IdentitySignInResult> {
    if (typeof code !== 'string' || code === '') throw new InvalidRequestError('code must be a string.');
    context = parseContext(context);
    return this.redirects.signIn(() => this.profileOf(new URLSearchParams({ code }), {}), context);
  }

  /**
   * `getAuthUrl` with state, nonce and PKCE (RFC 9700, 2.1). Keep `transaction` in a cookie of this browser and give
   * it to `finishRedirect`. The routes do that.
   * @param appState returned by `finishRedirect`; at most 512 characters.
   * @param options.remember whether the browser keeps the session when it closes. Default true.
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
   * Signs in with the whole query of a callback, if it belongs to the browser that has `transaction`, once; or links, after `startLink`.
   * @throws OAuthError for every invalid response; InvalidRequestError for a malformed query. After `startLink` also
   * TokenInvalidError, unless `context.sessionToken` is an active session of the user who started.
   */
  async finishRedirect(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext = {},
  ): Promise<OAuthRedirectResult> {
    return this.redirects.finish(query, transaction, context);
  }

  private profileOf(answer: URLSearchParams, checks: ExchangeChecks): Promise<IdentityProfile> {
    return this.connection.exchange(answer, checks, standardProfile);
  }

  private async authorizationUrl(options: AuthUrlOptions, extra: Record<string, string>): Promise<string> {
    const { state, scopes = this.options.scopes, accessType, prompt, loginHint } = options;
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
