/** What every identity provider does alike: the redirects through the browser, and what becomes of the profile they bring back. */
import type { IdentityProfile, ServiceIdentity } from '../../domain/identity.js';
import { toServiceUser, type StoredUser } from '../../domain/user.js';
import { InvalidRequestError, TokenInvalidError } from '../../errors/catalog.js';
import { existingMember } from '../../kit/existing-user.js';
import { optional } from '../../kit/input.js';
import { hasMethod } from '../../kit/option-types.js';
import type { RequestContext, SignInResult } from '../../kit/sign-in.js';
import type { Toolkit } from '../../kit/toolkit.js';
import { AccountLinking, type Linking } from './account-linking.js';
import { AuthorizationFlow, type BoundValues, type StartedRedirect } from './authorization-flow.js';
import type { ExchangeChecks } from './connection.js';

export type RedirectTools = Pick<
  Toolkit,
  'clock' | 'events' | 'keys' | 'limiter' | 'mailboxProof' | 'signIn' | 'storage'
>;

export interface IdentitySignInResult extends SignInResult {
  profile: IdentityProfile;
}

export interface OAuthRedirectResult extends IdentitySignInResult {
  /** What `startLink` asked for. Nobody was signed in then: the user is who was. */
  identity?: ServiceIdentity;
  appState?: string;
}

export interface LinkedIdentity {
  identity: ServiceIdentity;
  profile: IdentityProfile;
}

/** What differs from provider to provider. */
interface Steps {
  authorizationUrl(bound: BoundValues): Promise<string>;
  /** @throws OAuthError for an answer that does not hold. */
  profileOf(answer: URLSearchParams, checks: ExchangeChecks): Promise<IdentityProfile>;
}

export class RedirectSignIn {
  private readonly flow: AuthorizationFlow;
  private readonly accounts: AccountLinking;

  constructor(
    private readonly provider: string,
    linking: Linking,
    private readonly steps: Steps,
    private readonly tools: RedirectTools,
  ) {
    this.flow = new AuthorizationFlow(provider, tools);
    this.accounts = new AccountLinking(provider, linking, tools);
  }

  start(appState?: string): Promise<StartedRedirect> {
    return this.flow.start({ appState }, (bound) => this.steps.authorizationUrl(bound));
  }

  /** @throws NotAuthorizedError for a guest: guests are purged after a while, and with them the account that somebody believes to have. */
  async startLink(userId: string, appState?: string): Promise<StartedRedirect> {
    const { id: linkTo } = await existingMember(this.tools.storage, userId);
    return this.flow.start({ appState, linkTo }, (bound) => this.steps.authorizationUrl(bound));
  }

  async finish(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext = {},
  ): Promise<OAuthRedirectResult> {
    if (!hasMethod(query, 'getAll')) throw new InvalidRequestError('query must be URLSearchParams.');
    context = optional(context);
    const { bound, appState, linkTo } = await this.flow.finish(query, transaction);
    if (linkTo !== undefined) return { ...(await this.finishLink(query, bound, linkTo, context)), appState };
    return { ...(await this.signIn(await this.steps.profileOf(query, bound), context)), appState };
  }

  async signIn(profile: IdentityProfile, context: RequestContext): Promise<IdentitySignInResult> {
    const { user, created } = await this.accounts.resolve(profile, context);
    return { ...(await this.tools.signIn.complete(this.provider, user, created, context)), profile };
  }

  async link(user: StoredUser, answer: URLSearchParams, checks: ExchangeChecks): Promise<LinkedIdentity> {
    const profile = await this.steps.profileOf(answer, checks);
    return { identity: await this.accounts.linkTo(user, profile), profile };
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
}
