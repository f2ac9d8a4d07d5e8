/** Device sessions, guests and impersonation (specification 4.3, `sessionsProvider`). Sign-ins over HTTP are the same rows. */
import { uuidV7 } from '../../crypto/random.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import { parseAccountId } from '../../domain/identity.js';
import { parseMetadata } from '../../domain/metadata.js';
import { parseDevice, type DeviceSession } from '../../domain/session.js';
import type { TokenPair } from '../../domain/refresh-family.js';
import type { DeviceKind, SignedInDevice } from '../../domain/signed-in-device.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import { SignUpDisabledError, TokenInvalidError, UserNotFoundError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { parseActing, type Actor } from '../../core/sessions/actor.js';
import { guestLimits } from '../../core/limits/rate-limits.js';
import { capability } from '../../core/support/capability.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseInput } from '../../core/support/input.js';
import { parseId, userIdInput } from '../../core/support/input-types.js';
import { stored } from '../../core/sessions/new-user.js';
import { readPage, type Page, type PageRequest } from '../../core/support/pages.js';
import type { IssuedSession } from '../../core/sessions/sessions.js';
import { parseContext, type RequestContext } from '../../core/sessions/request-context.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { ListRange } from '../../storage/list-range.js';
import type { GuestRepository } from '../../storage/pro-repositories.js';
import { AllDevices } from './all-devices.js';
import { impersonate } from './impersonation.js';
import {
  guestUpgrade,
  impersonationOptions,
  listedDevice,
  newGuest,
  profileOf,
  newSession,
  type GuestSignIn,
  type GuestUpgradeInput,
  type ImpersonationOptions,
  type NewGuest,
  type NewSession,
} from './inputs.js';
import type { SessionsOptions } from './options.js';

type Tools = Pick<
  Toolkit,
  | 'bearer'
  | 'challenges'
  | 'clock'
  | 'events'
  | 'guestUpgrades'
  | 'limiter'
  | 'locate'
  | 'logger'
  | 'sessions'
  | 'signUpPolicy'
  | 'storage'
  | 'trustedBrowsers'
  | 'verifiedProviders'
>;
type DevicePage = Page<{ devices: DeviceSession[] }>;

export class SessionsProvider {
  private readonly guests: GuestRepository;
  private readonly allDevices: AllDevices;

  constructor(
    private readonly options: SessionsOptions,
    private readonly tools: Tools,
  ) {
    this.guests = capability(tools.storage, 'guests');
    this.allDevices = new AllDevices(tools);
  }

  /**
   * Creates a session for a user whom the application has authenticated itself.
   * @param input.ttlMs lifetime in milliseconds; default `session.ttlMs`, at most `session.maxAgeMs`.
   * @param input.remember false if the browser forgets the session when it closes: `signInResponse` then sets a cookie without an expiry.
   * @throws UserNotFoundError, UserBlockedError, InvalidRequestError.
   */
  async create(input: NewSession): Promise<IssuedSession> {
    input = parseInput(newSession, input);
    const device = parseDevice(input.device);
    const user = await existingUser(this.tools.storage.users, input.userId);
    return this.tools.sessions.issueSession(user, device, input);
  }

  /**
   * Returns the active sessions of a user, newest first: all of them, or one page.
   * @param currentToken marks its own session as `current`. @throws UserNotFoundError; InvalidRequestError for a malformed page.
   */
  async listDevices(userId: string, currentToken?: string): Promise<DeviceSession[]>;
  async listDevices(
    userId: string,
    currentToken: string | undefined,
    page: PageRequest,
    context?: RequestContext,
  ): Promise<DevicePage>;
  async listDevices(
    userId: string,
    currentToken?: string,
    page?: PageRequest,
    context?: RequestContext,
  ): Promise<DeviceSession[] | DevicePage> {
    const { clock, sessions, storage } = this.tools;
    const user = await existingUser(storage.users, userId, context);
    const current = currentToken === undefined ? undefined : sessions.tokens.claimsOf(currentToken)?.sid;
    const list = async (range?: ListRange) => {
      const active = await storage.sessions.listLive(user.id, new Date(clock()), range);
      return active.map((session) => ({ ...session, current: session.id === current }));
    };
    if (page === undefined) return list();
    const { rows, nextCursor } = await readPage(page, list, (session) => session);
    return { devices: rows, nextCursor };
  }

  /** Ends one session, with `acting` only one of the acting user. Any other is ignored. @throws InvalidRequestError */
  async revokeDevice(sessionId: string, acting?: Actor): Promise<void> {
    const id = parseId(sessionId, 'sessionId');
    await this.tools.sessions.revokeSession(id, parseActing(acting).actingUserId);
  }

  /**
   * Returns what gives access to a user's account: browsers, refresh families, and browsers that skip the second step. A trusted browser and
   * its sessions are one device. The caller's own device is first, then the newest.
   * @param context its `sessionToken` and `trustToken` mark the caller's own as `current`.
   * @throws UserNotFoundError; InvalidRequestError for a malformed page.
   */
  async listAllDevices(
    userId: string,
    page: PageRequest = {},
    context: RequestContext = {},
  ): Promise<Page<{ devices: SignedInDevice[] }>> {
    await existingUser(this.tools.storage.users, userId, context);
    return this.allDevices.list(userId, parseContext(context), page);
  }

  /**
   * Ends one of the devices that `listAllDevices` returns. Ignores one that is unknown, has ended, or belongs to another user.
   * @throws UserNotFoundError, InvalidRequestError.
   */
  async revokeAnyDevice(userId: string, device: { kind: DeviceKind; id: string }): Promise<void> {
    const listed = parseInput(listedDevice, device);
    await this.allDevices.revoke((await existingUser(this.tools.storage.users, userId)).id, listed);
  }

  /**
   * Ends every session and refresh family of a user except that of the token.
   * @param currentToken a session or access token of the user.
   * @throws UserNotFoundError; TokenInvalidError for an invalid token, and for a token of another user.
   */
  async revokeOthers(userId: string, currentToken: string): Promise<void> {
    const { sessions, storage } = this.tools;
    const user = await existingUser(storage.users, userId);
    const claims = sessions.tokens.verifyClaims(currentToken);
    if (claims.sub !== user.id) throw new TokenInvalidError(because('other_user'));
    await sessions.revokeOtherSessions(user.id, claims);
  }

  /** Ends the session, or the refresh family, of a token. @throws TokenInvalidError if it is not a session token. */
  async revoke(token: string): Promise<void> {
    const { sid, fid } = this.tools.sessions.tokens.verifyClaims(token);
    // A token without a row can only end with all of its user's.
    if (sid === undefined && fid === undefined) throw new TokenInvalidError(because('session_unknown'));
    await this.tools.sessions.endSession(token);
  }

  /** Ends every session and token of a user, impersonations and refresh families included. @throws UserNotFoundError */
  async revokeAll(userId: string): Promise<void> {
    const { clock, events, storage } = this.tools;
    const id = parseInput(userIdInput, userId);
    if (!(await storage.sessions.revokeAll(id, new Date(clock())))) throw new UserNotFoundError();
    events.emit('session.all_revoked', { userId });
  }

  /**
   * Creates a user without an address, for visitors who may sign up later. Purged after 30 days.
   * @param context with `ip`, guests are limited per client, refused ones included because they call the application, and count as sign-ups for `signUp.challenge`. With `bearer`, the result has `bearer` instead of a session.
   * @throws InvalidRequestError, ChallengeRequiredError, RateLimitError; SignUpDisabledError if `guests` is false, or the sign-up policy refuses.
   */
  async createGuest(
    input: NewGuest | undefined,
    context: RequestContext & { bearer: true },
  ): Promise<{ user: ServiceUser; bearer: TokenPair }>;
  async createGuest(
    input?: NewGuest,
    context?: RequestContext,
  ): Promise<{ user: ServiceUser } & IssuedSession>;
  async createGuest(input: NewGuest = {}, context: RequestContext = {}): Promise<GuestSignIn> {
    const { bearer, challenges, events, limiter, sessions, signUpPolicy } = this.tools;
    const { device: presented, metadata, challengeSolution } = parseInput(newGuest, input ?? {});
    const device = parseDevice(presented);
    const { ip, remember, ...others } = parseContext(context);
    const signUp = { email: null, emailVerified: false, metadata: parseMetadata(metadata) };
    if (!this.options.guests) throw new SignUpDisabledError();
    signUpPolicy.assertEnabled();
    await challenges.assertSolved('sign_up', challengeSolution, ip);
    const spent = await limiter.consume(guestLimits(ip));
    const fresh = await signUpPolicy.newUser({ method: 'guest', ...signUp }, { ip });
    try {
      await this.guests.insert(fresh);
    } catch (error) {
      await spent.refund();
      throw error;
    }
    const user = stored(fresh);
    events.emit('user.created', { userId: user.id, method: 'guest' });
    const guest = { user: toServiceUser(user) };
    if (others.bearer)
      return { ...guest, bearer: await bearer.start(user, { ...context, ...device }, false) };
    return { ...guest, ...(await sessions.issueSession(user, device, { remember })) };
  }

  /** @throws UserNotFoundError */
  async isGuest(userId: string): Promise<boolean> {
    const answer = await this.guests.isGuest(parseInput(userIdInput, userId));
    if (answer === null) throw new UserNotFoundError();
    return answer;
  }

  /**
   * Upgrades a guest to a user with the same id, with an identity that no user has. Never merges into another account. Revokes
   * the guest's tokens; create a new session.
   * @throws UserNotFoundError, InvalidRequestError; NotAuthorizedError if the user is not a guest or the identity is taken;
   * EmailExistsError if the address has an account.
   */
  async upgrade(input: GuestUpgradeInput): Promise<{ user: ServiceUser }> {
    const { clock, events, guestUpgrades, signUpPolicy, verifiedProviders } = this.tools;
    input = parseInput(guestUpgrade, input);
    const { userId, provider } = input;
    const providerAccountId = parseAccountId(provider, input.providerAccountId);
    const email = input.email === undefined ? null : parseEmailAddress(input.email);
    const credentials = {
      identity: { id: uuidV7(clock()), userId, provider, providerAccountId, createdAt: new Date(clock()) },
      email,
      emailVerified: email !== null && input.emailVerified === true && verifiedProviders.has(provider),
    };
    const fields = await signUpPolicy.parseFields(input.fields);
    const user = await guestUpgrades.upgrade(userId, credentials, {}, { profile: profileOf(input), fields });
    events.emit('identity.linked', { userId, provider });
    return { user: toServiceUser(user) };
  }

  /**
   * Returns a token that acts as the target and says so (`act.sub` is the administrator). It is never renewed, and ends with all
   * sessions of either user. Refuse changes of credentials where `isImpersonated(req.svcAuth.claims)`.
   * @param options `expiresInSec`: 900 by default, 3600 at most. `sessionToken`: the administrator's session, with which it also ends.
   * @throws UserNotFoundError, UserBlockedError, InvalidRequestError; NotAuthorizedError unless `canImpersonate` returns true, and if
   * `sessionToken` is another user's or an impersonation; TokenInvalidError if its session has ended.
   */
  async impersonate(
    adminUserId: string,
    targetUserId: string,
    options: ImpersonationOptions = {},
  ): Promise<{ token: string; expiresAt: Date }> {
    const parsed = parseInput(impersonationOptions, options ?? {});
    return impersonate(this.tools, this.options.canImpersonate, { adminUserId, targetUserId }, parsed);
  }
}
