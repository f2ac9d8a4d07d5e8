/**
 * Refresh tokens (specification 4.3, `refresh`; docs/decisions/refresh-rotation.md; RFC 9700, 4.14): one row per family, the token
 * is family, counter and MAC, so that no token is stored.
 */
import * as z from 'zod';
import { constantTimeEqual, mac } from '../crypto/digest.js';
import { uuidV7 } from '../crypto/random.js';
import { parseCustomClaims } from '../crypto/session-jwt.js';
import type { PublicRefreshFamily, RefreshFamily, TokenPair } from '../domain/refresh-family.js';
import { parseDevice } from '../domain/session.js';
import { NotAuthorizedError, RefreshTokenInvalidError, TokenInvalidError } from '../errors/catalog.js';
import { parseActing, type Actor } from '../core/sessions/actor.js';
import { parseOwnedRecordChange, type OwnedRecordChange } from '../core/sessions/change-by.js';
import { capability } from '../core/support/capability.js';
import { existingUser, unblockedUser } from '../core/sessions/existing-user.js';
import { parseInput } from '../core/support/input.js';
import { deviceInput, parseId, unchecked, userIdInput } from '../core/support/input-types.js';
import { durationMs, orTrue } from '../core/support/option-types.js';
import { readPage, type Page, type PageRequest } from '../core/support/pages.js';
import type { RequestContext } from '../core/sessions/sign-in.js';
import type { Toolkit } from '../core/toolkit.js';
import type { ListRange } from '../storage/list-range.js';
import type { RefreshFamilyRepository } from '../storage/pro-repositories.js';
import { lazily } from '../runtime/load.js';

const lifetimeMs = durationMs().min(1000);

export const refreshOptions = orTrue(
  z.strictObject({
    accessTtlMs: lifetimeMs.default(15 * 60_000).describe('Lifetime of an access token in milliseconds.'),
    ttlMs: lifetimeMs
      .default(30 * 24 * 60 * 60_000)
      .describe('Lifetime of a token family in milliseconds; rotation does not extend it.'),
    graceMs: z
      .int()
      .min(0)
      .max(60_000)
      .default(10_000)
      .describe(
        'How long the previous refresh token still returns the current one, in milliseconds; 0 = strict.',
      ),
  }),
).meta({
  title: 'Refresh tokens',
  description: 'Refresh tokens: [refresh tokens](providers/refresh.md).',
});

type Options = z.output<typeof refreshOptions>;
type Tools = Pick<Toolkit, 'clock' | 'events' | 'keys' | 'logger' | 'sessions' | 'storage'>;

const refreshChanges = lazily(() =>
  z.object({
    /** Replace the custom claims, from now on. */
    claims: unchecked<Record<string, unknown>>().optional(),
    device: deviceInput(),
  }),
);
export type RefreshChanges = z.infer<ReturnType<typeof refreshChanges>>;

const newFamily = lazily(() => refreshChanges().extend({ userId: userIdInput() }));

const issuingSession = lazily(() =>
  z.object({
    /** Epoch of the user. */
    epoch: z.int().optional(),
    /** Refresh family of the token that asks, if it is an access token (`fid` of its claims). */
    familyId: unchecked<string>().optional(),
  }),
);
/** The session that asks for tokens, as it was when it was checked. */
export type IssuingSession = z.infer<ReturnType<typeof issuingSession>>;
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
   * @throws UserNotFoundError, UserBlockedError, InvalidRequestError; TokenInvalidError if every session of the user ended in the meantime;
   * NotAuthorizedError if an access token asks.
   */
  async issue(input: z.infer<ReturnType<typeof newFamily>>, by?: IssuingSession): Promise<TokenPair> {
    const { clock, events, storage } = this.tools;
    input = parseInput(newFamily, input);
    const { familyId, epoch } = parseInput(issuingSession, by ?? {});
    // A family counts as a sign-in from its issue on: one that issued the next would stay fresh, and alive, forever.
    if (familyId !== undefined) throw new NotAuthorizedError({ cause: { refusal: 'access_token' } });
    const claims = parseCustomClaims(input.claims);
    const device = parseDevice(input.device);
    const now = clock();
    const user = await unblockedUser(storage.users, input.userId, now);
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
    // Before the insert: claims that do not fit into a token must leave no row.
    const pair = this.pairOf(family);
    if (!(await this.families.insert(family))) throw new TokenInvalidError();
    events.emit('refresh.issued', { userId: user.id, familyId: family.id });
    return pair;
  }

  /**
   * Returns the next pair. Parallel calls with one token all get the same refresh token: the current one. A token that was replaced
   * earlier indicates theft: the family is revoked.
   * @throws RefreshTokenInvalidError, InvalidRequestError.
   */
  async refresh(refreshToken: string, changes: RefreshChanges = {}): Promise<TokenPair> {
    const { clock, events, logger } = this.tools;
    changes = parseInput(refreshChanges, changes ?? {});
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

  /** Revokes the family of a token, current or replaced. @throws RefreshTokenInvalidError if the token is malformed or forged. */
  async revoke(refreshToken: string): Promise<void> {
    const { familyId } = this.open(refreshToken);
    await this.tools.sessions.revokeFamily(familyId);
  }

  /** Revokes every family of a user. @throws UserNotFoundError */
  async revokeAllForUser(userId: string): Promise<void> {
    const { clock, events, storage } = this.tools;
    const user = await existingUser(storage.users, userId);
    await this.families.revokeAllForUser(user.id, new Date(clock()));
    events.emit('refresh.all_revoked', { userId: user.id });
  }

  /**
   * Returns the active families of a user, newest first: all of them, or one page.
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
   * @param by the user on whose behalf the call is made, or the administrator who ends a family of `userId`: the families of other users
   * are left as they are.
   * @throws InvalidRequestError; UserNotFoundError for an unknown `userId`.
   */
  async revokeFamily(familyId: string, by?: Actor | OwnedRecordChange): Promise<void> {
    const { sessions, storage } = this.tools;
    const id = parseId(familyId, 'familyId');
    const change = parseOwnedRecordChange(by);
    if (!change) return sessions.revokeFamily(id, parseActing(by).actingUserId);
    const owner = await existingUser(storage.users, change.userId);
    return sessions.revokeFamily(id, owner.id, change.actor);
  }

  /** Claims that do not fit into a token must not consume a refresh token. @throws InvalidRequestError */
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
