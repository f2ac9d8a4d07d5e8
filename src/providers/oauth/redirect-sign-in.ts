/** The steps that all identity providers share: the redirects through the browser, and the sign-in or link that follows. */
import { toPersonProfile, type IdentityProfile, type ServiceIdentity } from '../../domain/identity.js';
import { toServiceUser, type StoredUser } from '../../domain/user.js';
import {
  FieldsRequiredError,
  InvalidRequestError,
  OAuthError,
  TokenInvalidError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { existingMember } from '../../core/sessions/existing-user.js';
import { mustBeInPerson } from '../../core/sessions/in-person.js';
import { attemptedUserOf } from '../../core/support/attempted-user.js';
import { signInFailed } from '../../core/support/failed-sign-ins.js';
import { parseOptions } from '../../core/support/input.js';
import { hasMethod } from '../../core/support/has-method.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { SignInAttempt } from '../../core/sessions/sign-in-attempts.js';
import type { SignInResult } from '../../core/sessions/sign-in-result.js';
import type { Toolkit } from '../../core/toolkit.js';
import { AccountLinking, type AccountOptions } from './account-linking.js';
import { AuthorizationFlow, type BoundValues, type StartedRedirect } from './authorization-flow.js';
import type { ExchangeChecks } from './connection.js';

export type RedirectTools = Pick<
  Toolkit,
  | 'accountLimits'
  | 'accountNotices'
  | 'clock'
  | 'changes'
  | 'events'
  | 'keys'
  | 'limiter'
  | 'logger'
  | 'telemetry'
  | 'mailboxProof'
  | 'signIn'
  | 'signUpPolicy'
  | 'storage'
>;

export interface IdentitySignInResult extends SignInResult {
  profile: IdentityProfile;
}

export interface OAuthRedirectResult extends IdentitySignInResult {
  /** Set after `startLink`, which signs no one in: the user is the one who was signed in. */
  identity?: ServiceIdentity;
  appState?: string;
}

export interface LinkedIdentity {
  identity: ServiceIdentity;
  profile: IdentityProfile;
}

/** What a sign-in by redirect carries to its end. */
export interface StartRedirectOptions {
  /** Whether the browser keeps the session when it closes. Default true. */
  remember?: boolean;
}

/** The steps that differ between providers. */
interface Steps {
  authorizationUrl(bound: BoundValues): Promise<string>;
  /** @throws OAuthError for an invalid response. */
  profileOf(answer: URLSearchParams, checks: ExchangeChecks): Promise<IdentityProfile>;
}

export class RedirectSignIn {
  private readonly flow: AuthorizationFlow;
  private readonly accounts: AccountLinking;

  constructor(
    private readonly provider: string,
    options: AccountOptions,
    private readonly steps: Steps,
    private readonly tools: RedirectTools,
  ) {
    this.flow = new AuthorizationFlow(provider, tools);
    this.accounts = new AccountLinking(provider, options, tools);
  }

  start(appState?: string, options?: StartRedirectOptions): Promise<StartedRedirect> {
    const { remember } = parseOptions(options, ['remember']);
    return this.flow.start({ appState, ...(remember === false && { remember }) }, (bound) =>
      this.steps.authorizationUrl(bound),
    );
  }

  /** @throws NotAuthorizedError for a guest: guests are purged, and the linked account would be lost with them. */
  async startLink(
    userId: string,
    appState: string | undefined,
    context: RequestContext,
  ): Promise<StartedRedirect> {
    mustBeInPerson(userId, context);
    const { id: linkTo } = await existingMember(this.tools.storage, userId);
    return this.flow.start({ appState, linkTo }, (bound) => this.steps.authorizationUrl(bound));
  }

  async finish(
    query: URLSearchParams,
    transaction: string | undefined,
    context: RequestContext = {},
  ): Promise<OAuthRedirectResult> {
    if (!hasMethod(query, 'getAll')) throw new InvalidRequestError('query must be URLSearchParams.');
    context = parseContext(context);
    // Forged responses too: anyone can send them, so they are recorded, and neither logged nor an event.
    // The user who is signed in at the browser has not sent them.
    const started = await this.tools.signIn.attempts.run(this.attempt(context), () =>
      this.flow.finish(query, transaction),
    );
    const { bound, appState, linkTo, remember } = started;
    if (linkTo !== undefined) return { ...(await this.finishLink(query, bound, linkTo, context)), appState };
    try {
      const signedIn = await this.signIn(() => this.steps.profileOf(query, bound), {
        ...context,
        ...(remember === false && { remember }),
      });
      return { ...signedIn, appState };
    } catch (error) {
      if (error instanceof OAuthError)
        signInFailed(this.tools.events, this.provider, error, attemptedUserOf(error));
      if (!(error instanceof FieldsRequiredError)) throw error;
      throw new FieldsRequiredError(error.pending, appState);
    }
  }

  /** Signs in with the profile that `readProfile` gets from the provider. */
  signIn(
    readProfile: () => Promise<IdentityProfile>,
    context: RequestContext,
  ): Promise<IdentitySignInResult> {
    const { signIn } = this.tools;
    return signIn.attempts.run(this.attempt(context), async () => {
      const profile = await readProfile();
      const { user, created, reclaimed } = await this.accounts.resolve(profile, context);
      const details = { profile: toPersonProfile(profile), reclaimed };
      return { ...(await signIn.completeSignIn(this.provider, user, created, context, details)), profile };
    });
  }

  private attempt(context: RequestContext): SignInAttempt {
    return { method: this.provider, subject: '', context };
  }

  async link(
    user: StoredUser,
    answer: URLSearchParams,
    checks: ExchangeChecks,
    context?: RequestContext,
  ): Promise<LinkedIdentity> {
    const profile = await this.steps.profileOf(answer, checks);
    return { identity: await this.accounts.linkTo(user, profile, context), profile };
  }

  private async finishLink(
    answer: URLSearchParams,
    checks: ExchangeChecks,
    userId: string,
    context: RequestContext,
  ): Promise<OAuthRedirectResult> {
    const { signIn, storage } = this.tools;
    // Read before the session is checked: a revocation after this changes the epoch that the link requires.
    const user = await storage.users.findById(userId);
    // A person who signed out or switched users in the meantime must not link their account to the previous user.
    if (!user || (await signIn.currentUserId(context)) !== user.id)
      throw new TokenInvalidError(because('other_user'));
    return { user: toServiceUser(user), created: false, ...(await this.link(user, answer, checks, context)) };
  }
}
