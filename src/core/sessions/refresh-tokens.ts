/**
 * Refresh tokens (docs/decisions/refresh-rotation.md; RFC 9700, 4.14): one row per family, the token is family, counter and MAC, so
 * that no token is stored. For the provider `refresh`, and for bearer sessions (`session.bearer`).
 */
import { constantTimeEqual, mac } from '../../crypto/digest.js';
import type { Keyring } from '../../crypto/keys.js';
import type { SessionClaims } from '../../crypto/session-claims.js';
import { uuidV7 } from '../../crypto/random.js';
import type { RefreshFamily, RefreshFamilyKind, TokenPair } from '../../domain/refresh-family.js';
import type { DeviceInfo } from '../../domain/session.js';
import type { StoredUser } from '../../domain/user.js';
import { RefreshTokenInvalidError, TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { RefreshFamilyRepository } from '../../storage/pro-repositories.js';
import { withAttemptedUser } from '../support/attempted-user.js';
import type { Clock } from '../support/clock.js';
import type { Changes } from '../support/changes.js';
import type { Logger } from '../support/logger.js';
import type { KeyProof } from './dpop-keys.js';
import { endedEvents, type Sessions } from './sessions.js';

export interface RefreshTokenOptions {
  accessTtlMs: number;
  /** Lifetime of a family; rotation does not extend it. */
  ttlMs: number;
  graceMs: number;
  /** Refuses the tokens of families that are not bound to a key. */
  dpop?: 'accepted' | 'required';
}

interface RefreshTools {
  clock: Clock;
  changes: Changes;
  keys: Keyring;
  logger: Logger;
  sessions: Sessions;
}

export interface NewFamily {
  device: DeviceInfo;
  /** Claims of the access tokens. */
  claims: Record<string, unknown>;
  /** Default: the epoch of the user. */
  epoch?: number | undefined;
  /** The session that asks for it, which `session.maxPerUser` ends last. */
  sessionId?: string | undefined;
  /** Default: `ttlMs` of the options. */
  ttlMs?: number;
  /** How the user signed in, for the event. */
  method?: string | undefined;
}

export class RefreshTokens {
  constructor(
    private readonly kind: RefreshFamilyKind,
    private readonly families: RefreshFamilyRepository,
    private readonly options: RefreshTokenOptions,
    private readonly tools: RefreshTools,
  ) {}

  /**
   * Issues the tokens of a new family.
   * @throws TokenInvalidError if every session of the user has ended since the user was read; InvalidRequestError if the claims do not
   * fit into a token.
   */
  async issue(user: StoredUser, fresh: NewFamily): Promise<TokenPair> {
    const family = this.familyOf(user, fresh);
    // Before the insert: claims that do not fit into a token must leave no row.
    const pair = this.pairOf(family);
    const limit = this.tools.sessions.limitOf(undefined);
    await this.start(family, limit ? { ...limit, keeps: fresh.sessionId } : 'unlimited');
    return pair;
  }

  /**
   * As `issue`, for a sign-in.
   * @param replaced token of the session or family that the new one replaces, if any.
   */
  async signIn(user: StoredUser, fresh: NewFamily, replaced: string | undefined): Promise<TokenPair> {
    const family = this.familyOf(user, fresh);
    await this.start(family, this.tools.sessions.limitOf(replaced), fresh.method);
    return this.pairOf(family);
  }

  /**
   * Returns the next pair. Parallel calls with one token all get the same refresh token: the current one. A token that was replaced
   * earlier indicates theft: the family is revoked. A token of the other kind is refused like an unknown one, and nothing is revoked.
   * @param proof of the key of the client, if any. A family that is bound to a key needs it, and uses it up.
   * @param changes replace the claims and the device of the family, each if it is given.
   * @throws RefreshTokenInvalidError; InvalidRequestError if the claims do not fit into a token.
   */
  async rotate(
    refreshToken: unknown,
    { claims, device }: Partial<Pick<NewFamily, 'claims' | 'device'>> = {},
    proof?: KeyProof,
  ): Promise<TokenPair> {
    const { changes, clock, logger } = this.tools;
    const { familyId, counter, isBound } = this.open(refreshToken, proof?.thumbprint);
    if (isBound) await proof?.use();
    if (claims) this.checkSize(familyId, claims);
    const { graceMs } = this.options;
    const now = new Date(clock());
    const outcome = await changes.commit(
      () => this.families.rotate({ familyId, kind: this.kind, counter, graceMs, now, claims, device }),
      ({ status, ...rotated }) =>
        status === 'reused' && 'userId' in rotated && rotated.userId !== null
          ? [['refresh.reuse_detected', { userId: rotated.userId, familyId }]]
          : [],
    );
    if (outcome.status === 'rotated' || outcome.status === 'current') {
      this.tools.sessions.seen(outcome.family.userId);
      return this.pairOf(outcome.family);
    }
    if (outcome.status === 'reused' && outcome.userId !== null) {
      const about = { userId: outcome.userId, familyId };
      logger.warn(
        { event: 'refresh_reuse', ...about },
        'a used refresh token came back; its family is revoked',
      );
    }
    const reason = outcome.status === 'reused' ? 'refresh_token_reused' : 'refresh_token_ended';
    const userId = 'userId' in outcome ? outcome.userId : null;
    throw withAttemptedUser(new RefreshTokenInvalidError(because(reason)), userId ?? undefined);
  }

  /** Revokes the family of a token, current or replaced. @throws RefreshTokenInvalidError if the token is malformed or forged. */
  async revoke(refreshToken: unknown): Promise<void> {
    const { familyId } = this.open(refreshToken);
    await this.tools.sessions.revokeFamily(familyId);
  }

  /** @param limit `unlimited`: outside of a sign-in, which counts as the last one of the user. @throws TokenInvalidError */
  private async start(
    family: RefreshFamily,
    limit: ReturnType<Sessions['limitOf']> | 'unlimited',
    method?: string,
  ): Promise<void> {
    const { id: familyId, userId } = family;
    const about = {
      userId,
      familyId,
      ...(method !== undefined && { method }),
      ...(family.claims['cnf'] !== undefined && { bound: true as const }),
    };
    const insert = async () => ((await this.families.insert(family)) ? { sessions: [], families: [] } : null);
    const ended = await this.tools.changes.commit(
      () => (limit === 'unlimited' ? insert() : this.families.start(family, limit)),
      (surplus) => (surplus ? [['refresh.issued', about], ...endedEvents(userId, surplus)] : []),
    );
    if (!ended) throw new TokenInvalidError(because('epoch_passed'));
  }

  private familyOf(user: StoredUser, { device, claims, epoch, ttlMs }: NewFamily): RefreshFamily {
    const now = this.tools.clock();
    return {
      id: uuidV7(now),
      kind: this.kind,
      userId: user.id,
      counter: 0,
      rotatedAt: new Date(now),
      epoch: epoch ?? user.epoch,
      claims,
      device,
      createdAt: new Date(now),
      expiresAt: new Date(now + (ttlMs ?? this.options.ttlMs)),
      revokedAt: null,
    };
  }

  /** Claims that do not fit into a token must not consume a refresh token. @throws InvalidRequestError */
  private checkSize(familyId: string, claims: Record<string, unknown>): void {
    const now = new Date(this.tools.clock());
    // As long as the family's own: every id has the same length, an epoch at most this one.
    const like = {
      id: familyId,
      kind: this.kind,
      userId: familyId,
      epoch: 2 ** 31,
      claims,
      counter: 0,
      device: {},
    };
    const times = { createdAt: now, rotatedAt: now, expiresAt: now, revokedAt: null };
    this.tools.sessions.tokens.forFamily({ ...like, ...times }, this.options.accessTtlMs);
  }

  private pairOf(family: RefreshFamily): TokenPair {
    const access = this.tools.sessions.tokens.forFamily(family, this.options.accessTtlMs);
    const jkt = keyOf(family);
    const signed = `${family.id}.${family.counter}.${this.macs(family.id, family.counter, jkt)[0]}`;
    return {
      ...(jkt !== undefined && { tokenType: 'DPoP' }),
      accessToken: access.token,
      accessExpiresAt: access.expiresAt,
      refreshToken: jkt === undefined ? signed : `${signed}.dpop`,
      refreshExpiresAt: family.expiresAt,
      familyId: family.id,
    };
  }

  /**
   * Checks the MAC before anything is looked up or used. That of a token which is bound to a key covers the thumbprint, so that no query is
   * needed, and a copy without the key cannot even end the session.
   * @param key thumbprint of the key that the client has proven, if any.
   */
  private open(token: unknown, key?: string): { familyId: string; counter: number; isBound: boolean } {
    const match =
      typeof token === 'string'
        ? /^([0-9a-f-]{36})\.(0|[1-9]\d{0,8})\.([\w-]{43})(\.dpop)?$/.exec(token)
        : null;
    const [, familyId, count, signature, mark] = match ?? [];
    if (familyId === undefined || signature === undefined)
      throw new RefreshTokenInvalidError(because('refresh_token_malformed'));
    const [counter, isBound] = [Number(count), mark !== undefined];
    if (isBound ? key === undefined : this.options.dpop === 'required')
      throw new RefreshTokenInvalidError(because('dpop_proof_missing'));
    const macs = this.macs(familyId, counter, isBound ? key : undefined);
    if (!macs.some((each) => constantTimeEqual(each, signature)))
      throw new RefreshTokenInvalidError(because(isBound ? 'dpop_key_other' : 'refresh_token_malformed'));
    return { familyId, counter, isBound };
  }

  private macs(familyId: string, counter: number, jkt: string | undefined): string[] {
    const keys = this.tools.keys.subkeys('refresh_token');
    return keys.map((key) =>
      mac(key, familyId, String(counter), ...(jkt === undefined ? [] : [jkt])).toString('base64url'),
    );
  }
}

/** Returns the thumbprint of the key to which a family is bound. */
export function keyOf({ claims }: Pick<RefreshFamily, 'claims'>): string | undefined {
  return (claims as Pick<SessionClaims, 'cnf'>).cnf?.jkt;
}
