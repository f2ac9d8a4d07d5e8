/**
 * Refresh tokens (specification 4.3, `refresh`; docs/decisions/refresh-rotation.md; RFC 9700, 4.14): one row per family, the token
 * is family, counter and MAC, so that no token is stored.
 */
import { constantTimeEqual, mac } from '../crypto/digest.js';
import { uuidV7 } from '../crypto/random.js';
import { parseCustomClaims } from '../crypto/session-jwt.js';
import type { PublicRefreshFamily, RefreshFamily, TokenPair } from '../domain/refresh-family.js';
import { parseDevice, type DeviceInfo } from '../domain/session.js';
import {
  InvalidRequestError,
  NotAuthorizedError,
  RefreshTokenInvalidError,
  TokenInvalidError,
} from '../errors/catalog.js';
import { parseActing, parseEpoch, type Acting } from '../kit/acting.js';
import { capability } from '../kit/capability.js';
import { existingUser } from '../kit/existing-user.js';
import { checkInput, optional } from '../kit/input.js';
import { durationMs, orTrue } from '../kit/option-types.js';
import { readPage, type Page, type PageRequest } from '../kit/pages.js';
import type { RequestContext } from '../kit/sign-in.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';
import type { ListRange } from '../storage/list-range.js';
import type { RefreshFamilyRepository } from '../storage/pro-repositories.js';

export const refreshOptions = (z: Zod) =>
  orTrue(
    z,
    z.strictObject({
      /** Lifetime of an access token in milliseconds. */
      accessTtlMs: durationMs(z)
        .min(1000)
        .default(15 * 60_000),
      /** Lifetime of a family in milliseconds; rotation does not extend it. */
      ttlMs: durationMs(z)
        .min(1000)
        .default(30 * 24 * 60 * 60_000),
      /** For how long the token before the live one still gets the live one, in milliseconds; 0 = strict. */
      graceMs: z.number().int().min(0).max(60_000).default(10_000),
    }),
  );

type Options = ReturnType<ReturnType<typeof refreshOptions>['parse']>;
type Tools = Pick<Toolkit, 'clock' | 'events' | 'keys' | 'logger' | 'sessions' | 'storage'>;

export interface RefreshChanges {
  /** Replace the custom claims, from now on. */
  claims?: Record<string, unknown>;
  device?: DeviceInfo;
}

/** The session that asks for tokens, as it was when it was checked. */
export interface IssuingSession {
  /** Epoch of the user. */
  epoch?: number;
  /** Refresh family of the token that asks, if it is an access token (`fid` of its claims). */
  familyId?: string;
}

type FamilyPage = Page<{ families: PublicRefreshFamily[] }>;

export class RefreshProvider {
  private readonly families: RefreshFamilyRepository;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.families = capability(tools.storage, 'refreshFamilies');
  }

  /**
   * Issues the tokens of a new family.
   * @param by the session that asks: if every session of the user has ended since it was checked, the call is refused.
   * @throws UserNotFoundError, InvalidRequestError; TokenInvalidError if every session of the user ended in the meantime;
   * NotAuthorizedError if an access token asks.
   */
  async issue(input: { userId: string } & RefreshChanges, by?: IssuingSession): Promise<TokenPair> {
    const { clock, events, storage } = this.tools;
    checkInput(input);
    const { familyId, ...session } = optional(by);
    const { epoch } = parseEpoch(session.epoch);
    // A family counts as a sign-in from its issue on: one that issued the next would stay fresh, and alive, forever.
    if (familyId !== undefined) throw new NotAuthorizedError({ cause: { refusal: 'access_token' } });
    const claims = parseCustomClaims(input.claims);
    const device = parseDevice(input.device);
    const user = await existingUser(storage.users, input.userId);
    const now = clock();
    const family: RefreshFamily = {
      id: uuidV7(now),
      userId: user.id,
      counter: 0,
      rotatedAt: new Date(now),
      epoch: epoch ?? user.epoch,
      claims,
      device,
      createdAt: new Date(now),
      expiresAt: new Date(now + this.options.ttlMs),
      revokedAt: null,
    };
    // Before the row: claims that do not fit into a token must leave none.
    const pair = this.pairOf(family);
    if (!(await this.families.insert(family))) throw new TokenInvalidError();
    events.emit('refresh.issued', { userId: user.id, familyId: family.id });
    return pair;
  }

  /**
   * The next pair. Of parallel calls with one token all get the same refresh token: the live one. A token that was replaced
   * earlier is a sign of theft: the family ends.
   * @throws RefreshTokenInvalidError, InvalidRequestError.
   */
  async refresh(refreshToken: string, changes: RefreshChanges = {}): Promise<TokenPair> {
    const { clock, events, logger } = this.tools;
    changes = optional(changes);
    const { familyId, counter } = this.open(refreshToken);
    const claims = changes.claims === undefined ? undefined : parseCustomClaims(changes.claims);
    const device = changes.device === undefined ? undefined : parseDevice(changes.device);
    if (claims) this.checkSize(familyId, claims);
    const { graceMs } = this.options;
    const outcome = await this.families.rotate({
      familyId,
      counter,
      graceMs,
      now: new Date(clock()),
      claims,
      device,
    });
    if (outcome.status === 'rotated' || outcome.status === 'current') return this.pairOf(outcome.family);
    if (outcome.status === 'reused' && outcome.userId !== null) {
      const about = { userId: outcome.userId, familyId };
      logger.warn(
        { event: 'refresh_reuse', ...about },
        'a used refresh token came back; its family is revoked',
      );
      events.emit('refresh.reuse_detected', about);
    }
    throw new RefreshTokenInvalidError();
  }

  /** Ends the family of a token, whichever of its tokens it is. @throws RefreshTokenInvalidError for what is none. */
  async revoke(refreshToken: string): Promise<void> {
    const { familyId } = this.open(refreshToken);
    await this.tools.sessions.revokeFamily(familyId);
  }

  /** Ends every family of a user. @throws UserNotFoundError */
  async revokeAllForUser(userId: string): Promise<void> {
    const { clock, events, storage } = this.tools;
    const user = await existingUser(storage.users, userId);
    await this.families.revokeAllForUser(user.id, new Date(clock()));
    events.emit('refresh.all_revoked', { userId: user.id });
  }

  /**
   * Returns the live families of a user, newest first: all of them, or one page.
   * @param currentToken an access token; its own family is marked as `current`.
   * @throws UserNotFoundError; InvalidRequestError for a malformed page.
   */
  async list(userId: string, currentToken?: string): Promise<PublicRefreshFamily[]>;
  async list(
    userId: string,
    currentToken: string | undefined,
    page: PageRequest,
    context?: RequestContext,
  ): Promise<FamilyPage>;
  async list(
    userId: string,
    currentToken?: string,
    page?: PageRequest,
    context?: RequestContext,
  ): Promise<PublicRefreshFamily[] | FamilyPage> {
    const { clock, sessions, storage } = this.tools;
    const user = await existingUser(storage.users, userId, context);
    const current = currentToken === undefined ? undefined : sessions.tokens.claimsOf(currentToken)?.fid;
    const list = async (range?: ListRange) => {
      const live = await this.families.listLive(user.id, new Date(clock()), range);
      return live.map(({ id, device, createdAt, counter, rotatedAt, expiresAt }) => {
        const lastUsedAt = counter === 0 ? null : rotatedAt;
        return { id, device, createdAt, lastUsedAt, expiresAt, current: id === current };
      });
    };
    if (page === undefined) return list();
    const { rows, nextCursor } = await readPage(page, list, (family) => family);
    return { families: rows, nextCursor };
  }

  /**
   * Revokes a family by its id. Does nothing if the family has ended or does not exist.
   * @param acting the user on whose behalf the call is made: the families of other users are left as they are.
   * @throws InvalidRequestError
   */
  async revokeFamily(familyId: string, acting?: Acting): Promise<void> {
    const { actingUserId } = parseActing(acting);
    if (typeof familyId !== 'string') throw new InvalidRequestError('familyId must be a string.');
    await this.tools.sessions.revokeFamily(familyId, actingUserId);
  }

  /** Claims that do not fit into a token must not use up a refresh token. @throws InvalidRequestError */
  private checkSize(familyId: string, claims: Record<string, unknown>): void {
    const now = new Date(this.tools.clock());
    // As long as the family's own: every id has the same length, an epoch at most this one.
    const like = { id: familyId, userId: familyId, epoch: 2 ** 31, claims, counter: 0, device: {} };
    const times = { createdAt: now, rotatedAt: now, expiresAt: now, revokedAt: null };
    this.tools.sessions.tokens.forFamily({ ...like, ...times }, this.options.accessTtlMs);
  }

  private pairOf(family: RefreshFamily): TokenPair {
    const access = this.tools.sessions.tokens.forFamily(family, this.options.accessTtlMs);
    return {
      accessToken: access.token,
      accessExpiresAt: access.expiresAt,
      refreshToken: `${family.id}.${family.counter}.${this.macs(family.id, family.counter)[0]}`,
      refreshExpiresAt: family.expiresAt,
      familyId: family.id,
    };
  }

  /** Checks the MAC before anything is looked up. */
  private open(token: unknown): { familyId: string; counter: number } {
    const match =
      typeof token === 'string' ? /^([0-9a-f-]{36})\.(0|[1-9]\d{0,8})\.([\w-]{43})$/.exec(token) : null;
    const [, familyId, count, signature] = match ?? [];
    if (familyId === undefined || signature === undefined) throw new RefreshTokenInvalidError();
    const counter = Number(count);
    const isOurs = this.macs(familyId, counter).some((each) => constantTimeEqual(each, signature));
    if (!isOurs) throw new RefreshTokenInvalidError();
    return { familyId, counter };
  }

  private macs(familyId: string, counter: number): string[] {
    const keys = this.tools.keys.subkeys('refresh_token');
    return keys.map((key) => mac(key, familyId, String(counter)).toString('base64url'));
  }
}
