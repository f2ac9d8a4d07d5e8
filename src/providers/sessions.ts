/** Device sessions, guests and impersonation (specification 4.3, `sessionsProvider`). Sign-ins over HTTP are the same rows. */
import { uuidV7 } from '../crypto/random.js';
import { isImpersonated } from '../crypto/session-jwt.js';
import { parseEmailAddress } from '../domain/email-address.js';
import { parseAccountId } from '../domain/identity.js';
import { parseMetadata } from '../domain/metadata.js';
import { parseDevice, type DeviceInfo, type DeviceSession } from '../domain/session.js';
import { toServiceUser, type ServiceUser } from '../domain/user.js';
import { InvalidRequestError, NotAuthorizedError } from '../errors/catalog.js';
import { TokenInvalidError, UserNotFoundError } from '../errors/catalog.js';
import { parseActing, type Acting } from '../kit/acting.js';
import { guestBudgets } from '../kit/budgets.js';
import { capability } from '../kit/capability.js';
import { existingUser } from '../kit/existing-user.js';
import { inTime } from '../kit/in-time.js';
import { checkInput, optional } from '../kit/input.js';
import { stored } from '../kit/mailbox-proof.js';
import { functionOption, orTrue } from '../kit/option-types.js';
import { readPage, type Page, type PageRequest } from '../kit/pages.js';
import type { IssuedSession } from '../kit/sessions.js';
import type { RequestContext } from '../kit/sign-in.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';
import type { ListRange } from '../storage/list-range.js';
import type { GuestRepository } from '../storage/pro-repositories.js';

type CanImpersonate = (admin: ServiceUser, target: ServiceUser) => boolean | Promise<boolean>;

export const sessionsOptions = (z: Zod) =>
  orTrue(
    z,
    z.strictObject({
      /** Who may act as whom. Without it nobody may. */
      canImpersonate: functionOption<CanImpersonate>(z).optional(),
    }),
  );

type Options = ReturnType<ReturnType<typeof sessionsOptions>['parse']>;
type Tools = Pick<
  Toolkit,
  | 'clock'
  | 'events'
  | 'guestUpgrades'
  | 'limiter'
  | 'logger'
  | 'mailboxProof'
  | 'sessions'
  | 'storage'
  | 'verifiedProviders'
>;

type DevicePage = Page<{ devices: DeviceSession[] }>;

export interface GuestUpgradeInput {
  userId: string;
  provider: string;
  providerAccountId: string;
  email?: string;
  /** Believed only of an identity provider that the configuration enables; false otherwise. */
  emailVerified?: boolean;
}

const impersonationSec = { usual: 15 * 60, most: 60 * 60 };

export class SessionsProvider {
  private readonly guests: GuestRepository;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.guests = capability(tools.storage, 'guests');
  }

  /**
   * A session for a user whom the application has authenticated itself.
   * @param input.ttlMs lifetime in milliseconds; default `session.ttlMs`, at most `session.maxAgeMs`.
   * @throws UserNotFoundError, InvalidRequestError.
   */
  async create(input: { userId: string; device?: DeviceInfo; ttlMs?: number }): Promise<IssuedSession> {
    checkInput(input);
    const device = parseDevice(input.device);
    const user = await existingUser(this.tools.storage.users, input.userId);
    return this.tools.sessions.start(user, device, { ttlMs: input.ttlMs });
  }

  /**
   * Returns the active sessions of a user, newest first: all of them, or one page.
   * @param currentToken marks its own session as `current`.
   * @throws UserNotFoundError; InvalidRequestError for a malformed page.
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
  async revokeDevice(sessionId: string, acting?: Acting): Promise<void> {
    if (typeof sessionId !== 'string') throw new InvalidRequestError('sessionId must be a string.');
    await this.tools.sessions.revoke(sessionId, parseActing(acting).actingUserId);
  }

  /**
   * Ends every session and refresh family of a user except that of the token.
   * @param currentToken a session or access token of the user.
   * @throws UserNotFoundError; TokenInvalidError for an invalid token, and for a token of another user.
   */
  async revokeOthers(userId: string, currentToken: string): Promise<void> {
    const { sessions, storage } = this.tools;
    const user = await existingUser(storage.users, userId);
    const claims = sessions.tokens.verify(currentToken);
    if (claims.sub !== user.id) throw new TokenInvalidError();
    await sessions.revokeOthers(user.id, claims);
  }

  /** Ends the session, or the refresh family, of a token. @throws TokenInvalidError for what is no session token. */
  async revoke(token: string): Promise<void> {
    const { sid, fid } = this.tools.sessions.tokens.verify(token);
    // A token without a row can only end with all of its user's.
    if (sid === undefined && fid === undefined) throw new TokenInvalidError();
    await this.tools.sessions.end(token);
  }

  /** Ends every session and token of a user, impersonations and refresh families included. @throws UserNotFoundError */
  async revokeAll(userId: string): Promise<void> {
    const { clock, events, storage } = this.tools;
    if (typeof userId !== 'string') throw new UserNotFoundError();
    if (!(await storage.sessions.revokeAll(userId, new Date(clock())))) throw new UserNotFoundError();
    events.emit('session.all_revoked', { userId });
  }

  /**
   * A user without an address, for visitors who may sign up later. Purged after 30 days.
   * @param context with `ip`, guests are limited per client.
   * @throws InvalidRequestError, RateLimitError.
   */
  async createGuest(
    input: { device?: DeviceInfo; metadata?: Record<string, unknown> } = {},
    context: RequestContext = {},
  ): Promise<{ user: ServiceUser } & IssuedSession> {
    const { events, limiter, mailboxProof, sessions } = this.tools;
    const { device: presented, metadata } = optional(input);
    const device = parseDevice(presented);
    const fresh = mailboxProof.newUser({
      email: null,
      emailVerified: false,
      metadata: parseMetadata(metadata),
    });
    await limiter.spend(guestBudgets(optional(context).ip), () => this.guests.insert(fresh));
    const user = stored(fresh);
    events.emit('user.created', { userId: user.id, method: 'guest' });
    return { user: toServiceUser(user), ...(await sessions.start(user, device)) };
  }

  /** @throws UserNotFoundError */
  async isGuest(userId: string): Promise<boolean> {
    const answer = typeof userId === 'string' ? await this.guests.isGuest(userId) : null;
    if (answer === null) throw new UserNotFoundError();
    return answer;
  }

  /**
   * Makes a guest a real user with the same id, by an identity that nobody has. Never merges into another account. The
   * guest's tokens end; create a new session.
   * @throws UserNotFoundError, InvalidRequestError; NotAuthorizedError when the user is no guest or the identity is taken;
   * EmailExistsError when somebody has the address.
   */
  async upgrade(input: GuestUpgradeInput): Promise<{ user: ServiceUser }> {
    const { clock, events, guestUpgrades, verifiedProviders } = this.tools;
    checkInput(input);
    const { userId, provider } = input;
    if (typeof userId !== 'string') throw new UserNotFoundError();
    const providerAccountId = parseAccountId(provider, input.providerAccountId);
    const email = input.email === undefined ? null : parseEmailAddress(input.email);
    const now = new Date(clock());
    const user = await guestUpgrades.upgrade(userId, {
      identity: { id: uuidV7(clock()), userId, provider, providerAccountId, createdAt: now },
      email,
      emailVerified: email !== null && input.emailVerified === true && verifiedProviders.has(provider),
    });
    events.emit('identity.linked', { userId, provider });
    return { user: toServiceUser(user) };
  }

  /**
   * Returns a token that acts as the target and says so (`act.sub` is the administrator). It is never renewed, and ends with all
   * sessions of either user. Refuse changes of credentials where `isImpersonated(req.svcAuth.claims)`.
   * @param options.expiresInSec 900 by default, 3600 at most.
   * @param options.sessionToken the administrator's session token: the impersonation also ends with that session, by sign-out,
   * revocation or expiry.
   * @throws UserNotFoundError, InvalidRequestError; NotAuthorizedError unless `canImpersonate` returns true, and if `sessionToken` is
   * another user's or an impersonation; TokenInvalidError if its session has ended.
   */
  async impersonate(
    adminUserId: string,
    targetUserId: string,
    options: { expiresInSec?: number; reason?: string; sessionToken?: string } = {},
  ): Promise<{ token: string; expiresAt: Date }> {
    const { events, logger, sessions, storage } = this.tools;
    const { expiresInSec = impersonationSec.usual, reason, sessionToken } = optional(options);
    if (!Number.isInteger(expiresInSec) || expiresInSec < 1 || expiresInSec > impersonationSec.most) {
      throw new InvalidRequestError('expiresInSec must be a whole number from 1 to 3600.');
    }
    if (reason !== undefined && (typeof reason !== 'string' || reason.length > 500)) {
      throw new InvalidRequestError('reason must be a string of at most 500 characters.');
    }
    const admin = await existingUser(storage.users, adminUserId);
    const target = await existingUser(storage.users, targetUserId);
    const asked = this.options.canImpersonate?.(toServiceUser(admin), toServiceUser(target));
    const allowed: unknown = await inTime(asked, 'canImpersonate');
    if (allowed !== true || admin.id === target.id) throw new NotAuthorizedError();
    const sessionId =
      sessionToken === undefined ? undefined : await sessionIdOf(sessions, admin.id, sessionToken);
    const issued = sessions.tokens.forImpersonation(admin, target, expiresInSec, sessionId);
    logger.warn(
      { event: 'impersonated', adminUserId: admin.id, userId: target.id },
      'a user is impersonated',
    );
    events.emit('session.impersonated', { adminUserId: admin.id, userId: target.id, reason: reason ?? null });
    return issued;
  }
}

/** Returns the id of the administrator's own session. */
async function sessionIdOf(sessions: Toolkit['sessions'], adminUserId: string, sessionToken: unknown) {
  const { claims, session, user } = await sessions.authenticate(sessionToken);
  if (isImpersonated(claims) || user.id !== adminUserId) throw new NotAuthorizedError();
  if (!session) throw new InvalidRequestError('sessionToken must be the token of a session.');
  return session.id;
}
