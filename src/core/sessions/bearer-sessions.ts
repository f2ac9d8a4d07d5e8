/**
 * Bearer sessions: a sign-in that returns tokens instead of a cookie, for an application on another site, to which browsers send no
 * cookies (`session.bearer`, docs/single-page-applications.md). Each is a family of refresh tokens.
 */
import type { TokenPair } from '../../domain/refresh-family.js';
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { deviceOf, type RequestContext } from './request-context.js';
import type { RefreshTokens } from './refresh-tokens.js';

/** The part of `RequestContext` that a bearer session needs. */
type BearerContext = Pick<RequestContext, 'ip' | 'userAgent' | 'sessionToken' | 'remember'>;

export class BearerSessions {
  constructor(
    /** Null without `session.bearer`. */
    readonly tokens: RefreshTokens | null,
    private readonly unrememberedTtlMs: number,
  ) {}

  /**
   * Starts a session.
   * @param user as for `Sessions.issueSession`.
   * @param method of the sign-in, for the event. Absent if the session replaces another one.
   * @throws TokenInvalidError if all sessions were revoked since the user was read; InvalidRequestError without `session.bearer`.
   */
  async start(
    user: StoredUser,
    context: BearerContext,
    twoFactors: boolean,
    method?: string,
  ): Promise<TokenPair> {
    if (!this.tokens) throw new InvalidRequestError('A context with bearer requires session.bearer.');
    const { remember, sessionToken } = context;
    const device = deviceOf(context);
    // The choice is a claim, as in a cookie: a session that replaces this one repeats it.
    const claims = { ...(twoFactors && { amr: ['mfa'] }), ...(remember === false && { remember }) };
    const lifetime = remember === false ? { ttlMs: this.unrememberedTtlMs } : {};
    return this.tokens.signIn(user, { device, claims, method, ...lifetime }, sessionToken);
  }
}
