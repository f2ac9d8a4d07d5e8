/** Refresh tokens, for programs that store tokens themselves (specification 4.3, `refresh`; docs/decisions/refresh-rotation.md). */
import * as z from 'zod';
import { parseCustomClaims } from '../crypto/session-jwt.js';
import type { PublicRefreshFamily, TokenPair } from '../domain/refresh-family.js';
import { parseDevice } from '../domain/session.js';
import { NotAuthorizedError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { parseActing, type Actor } from '../core/sessions/actor.js';
import { parseOwnedRecordChange, type OwnedRecordChange } from '../core/sessions/change-by.js';
import { capability } from '../core/support/capability.js';
import { existingUser, unblockedUser } from '../core/sessions/existing-user.js';
import { parseInput } from '../core/support/input.js';
import { deviceInput, parseId, unchecked, userIdInput } from '../core/support/input-types.js';
import { durationMs, orTrue } from '../core/support/option-types.js';
import { RefreshTokens } from '../core/sessions/refresh-tokens.js';
import { readPage, type Page, type PageRequest } from '../core/support/pages.js';
import type { RequestContext } from '../core/sessions/request-context.js';
import type { Toolkit } from '../core/toolkit.js';
import type { ListRange } from '../storage/list-range.js';
import type { RefreshFamilyRepository } from '../storage/pro-repositories.js';
import { lazily } from '../runtime/load.js';

const lifetimeMs = durationMs().min(1000);

export const refreshOptions = lazily(() =>
  orTrue(
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
  }),
);

type Options = z.output<ReturnType<typeof refreshOptions>>;
type Tools = Pick<Toolkit, 'clock' | 'events' | 'keys' | 'logger' | 'sessions' | 'storage'>;

const refreshChanges = lazily(
  () =>
    z.object({
      claims: unchecked<Record<string, unknown>>().optional(),
      device: deviceInput(),
    }) satisfies z.ZodType<RefreshChanges>,
);
/** What a rotation changes. */
export interface RefreshChanges {
  /** Replace the custom claims, from now on. */
  claims?: Record<string, unknown> | undefined;
  device?: { name?: string | undefined; userAgent?: string | undefined; ip?: string | undefined } | undefined;
}

const newFamily = lazily(() => refreshChanges().extend({ userId: userIdInput() }));

const issuingSession = lazily(
  () =>
    z.object({
      epoch: z.int().optional(),
      sessionId: unchecked<string>().optional(),
      familyId: unchecked<string>().optional(),
    }) satisfies z.ZodType<IssuingSession>,
);
/** The session that asks for tokens, as it was when it was checked. */
export interface IssuingSession {
  /** Epoch of the user. */
  epoch?: number | undefined;
  /** Id of the session (`sid` of its claims): `session.maxPerUser` ends another sign-in instead of it. */
  sessionId?: string | undefined;
  /** Refresh family of the token that asks, if it is an access token (`fid` of its claims). */
  familyId?: string | undefined;
}

type FamilyPage = Page<{ families: PublicRefreshFamily[] }>;

export class RefreshProvider {
  private readonly families: RefreshFamilyRepository;
  private readonly tokens: RefreshTokens;

  constructor(
    options: Options,
    private readonly tools: Tools,
  ) {
    this.families = capability(tools.storage, 'refreshFamilies');
    this.tokens = new RefreshTokens('refresh', this.families, options, tools);
  }

  /**
   * Issues the tokens of a new family.
   * @param by the session that asks: if every session of the user has ended since it was checked, the call is refused.
   * @throws UserNotFoundError, UserBlockedError, InvalidRequestError; TokenInvalidError if every session of the user ended in the meantime;
   * NotAuthorizedError if an access token asks.
   */
  async issue(input: z.infer<ReturnType<typeof newFamily>>, by?: IssuingSession): Promise<TokenPair> {
    const { clock, storage } = this.tools;
    input = parseInput(newFamily, input);
    const { familyId, epoch, sessionId } = parseInput(issuingSession, by ?? {});
    // A family counts as a sign-in from its issue on: one that issued the next would stay fresh, and alive, forever.
    if (familyId !== undefined) throw new NotAuthorizedError(because('access_token'));
    const claims = parseCustomClaims(input.claims);
    const device = parseDevice(input.device);
    const user = await unblockedUser(storage.users, input.userId, clock());
    return this.tokens.issue(user, { claims, device, epoch, sessionId });
  }

  /**
   * Returns the next pair. Parallel calls with one token all get the same refresh token: the current one. A token that was replaced
   * earlier indicates theft: the family is revoked.
   * @throws RefreshTokenInvalidError, InvalidRequestError.
   */
  async refresh(refreshToken: string, changes: RefreshChanges = {}): Promise<TokenPair> {
    changes = parseInput(refreshChanges, changes ?? {});
    const claims = changes.claims === undefined ? undefined : parseCustomClaims(changes.claims);
    const device = changes.device === undefined ? undefined : parseDevice(changes.device);
    return this.tokens.rotate(refreshToken, { claims, device });
  }

  /** Revokes the family of a token, current or replaced. @throws RefreshTokenInvalidError if the token is malformed or forged. */
  async revoke(refreshToken: string): Promise<void> {
    await this.tokens.revoke(refreshToken);
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
    return sessions.revokeFamily(id, owner.id, change);
  }
}
