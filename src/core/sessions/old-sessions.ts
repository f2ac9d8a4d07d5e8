/**
 * Replaces sessions of a former system by sessions of this service (`session.acceptSessionsFrom`, docs/old-sessions.md). Each is replaced
 * once: a claim of its digest in the storage decides between parallel requests and between processes, and outlives the old session, so
 * that its cookie cannot undo a sign-out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDate } from 'node:util/types';
import { uuidV7 } from '../../crypto/random.js';
import { lengthPrefixed, sha256 } from '../../crypto/digest.js';
import { anybody, type SingleUseToken } from '../../domain/single-use-token.js';
import type { DeviceInfo } from '../../domain/session.js';
import { isInForce } from '../../domain/user-block.js';
import { importMarkOf, type StoredUser } from '../../domain/user.js';
import { RateLimitError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { oldSessionLimits } from '../limits/rate-limits.js';
import type { Limiter } from '../limits/limiter.js';
import type { LegacyQuery } from '../../domain/legacy-query.js';
import { KeyedMutex } from '../queues/keyed-mutex.js';
import { BoundedMap } from '../support/bounded-map.js';
import type { Clock } from '../support/clock.js';
import { describeError, type Logger } from '../support/logger.js';
import { withTimeout } from '../support/timeouts.js';
import { namesOwnId, userOfOldSession } from './old-session-users.js';
import type { OldSession, PresentedSession, SessionRequest, SessionSource } from './session-source.js';
import type { IssuedSession, Sessions } from './sessions.js';

const second = 1_000;
const day = 86_400 * second;

/** For how long the other requests of a page, which were sent with the old cookie, get the session of the first. */
const graceMs = 30 * second;
/** For how long they wait for it. */
const patienceMs = 2 * second;
/** An old store that takes longer counts as one that has no session. */
const lookupMs = 3 * second;
/** For how long an unknown session is not looked up again. It may be signed in later, under the same id. */
const unknownMs = 10 * second;
/** How long a claim is kept if the session itself does not say when the old session ends: browsers keep no cookie longer (RFC 6265bis, 5.5). */
const longestMs = 400 * day;

/** What every database stores. A token whose `exp` is in milliseconds ends in the year 50,000. */
const latestTime = Date.UTC(9999, 0);

/** Lookups of one client at the same time. */
const lookupBounds = { width: 4, maxWaiting: 256, timeoutMs: lookupMs };

export interface OldSessionOptions {
  sources: readonly SessionSource[];
  /** When the former sessions end. */
  until?: Date | undefined;
  /** `session.maxAgeMs`. */
  maxAgeMs: number;
}

interface Tools {
  /** Imports a person whom only the former system has. Never rejects. */
  bringLegacyUser: (query: LegacyQuery) => Promise<boolean>;
  clock: Clock;
  limiter: Limiter;
  logger: Logger;
  sessions: Sessions;
  storage: StorageAdapter;
}

/** What has become of an old session. */
export type Replacement =
  | { kind: 'session'; user: StoredUser; issued: IssuedSession }
  /** The account asks for a second factor, and its source for it. */
  | { kind: 'second_factor'; user: StoredUser; method: string };

/** Why there is no session: its store has none, too many were asked for, or the store has failed. */
type NotLoaded = 'absent' | 'limited' | 'unavailable';

export interface Presented {
  source: SessionSource;
  session: PresentedSession;
  digest: string;
}

export class OldSessions {
  private readonly turns = new KeyedMutex(lookupBounds);
  /** By digest: until when it is unknown. An entry only spares lookups. */
  private readonly unknown = new BoundedMap<string, number>(10_000);

  constructor(
    private readonly options: OldSessionOptions,
    private readonly tools: Tools,
  ) {}

  /** Whether old sessions still count. */
  get isOpen(): boolean {
    const { sources, until } = this.options;
    // Negated, so that an invalid date refuses.
    return sources.length > 0 && (until === undefined || !(this.tools.clock() >= until.getTime()));
  }

  /** Returns the old sessions that a request presents, without a lookup. Empty if old sessions no longer count. */
  async presented(request: Omit<SessionRequest, 'now'>): Promise<Presented[]> {
    if (!this.isOpen) return [];
    const found: Presented[] = [];
    for (const source of this.options.sources) {
      try {
        const sessions = await withTimeout(
          source.find({ ...request, now: this.tools.clock() }),
          source.name,
          lookupMs,
        );
        for (const session of sessions) {
          mustBeDate(session.expiresAt, 'expiresAt');
          found.push({ source, session, digest: digestOf(source, session) });
        }
      } catch (error) {
        this.logFailure(error, source);
      }
    }
    return found;
  }

  /**
   * Replaces an old session. Null if it does not exist, has been used, or leads to no account that may sign in: the request then has no
   * session, as if it had not presented one.
   */
  async replace({ source, session, digest }: Presented, device: DeviceInfo): Promise<Replacement | null> {
    const { logger, storage } = this.tools;
    if (this.isUnknown(digest)) return null;
    const used = await this.findClaim(digest);
    if (used) return this.successor(used);
    const old = await this.load({ source, session, digest }, device.ip);
    if (typeof old === 'string') {
      // A request at the same time may have used it up since, and ended it.
      const usedSince = await this.findClaim(digest);
      if (usedSince) return this.successor(usedSince);
      if (old === 'absent') this.remember(digest);
      return null;
    }
    const user = await userOfOldSession(storage, old, this.tools.bringLegacyUser);
    const refusal = user ? this.refusalOf(user, old) : 'unknown_user';
    if (!user || refusal !== null) {
      logger.info(
        { event: 'old_session_refused', source: source.name, reason: refusal, userId: user?.id },
        'a session of the former system was refused',
      );
      this.remember(digest);
      return null;
    }
    const method = `old_session+${source.name}`;
    if (user.totpEnabled && source.secondFactor === 'ask') return { kind: 'second_factor', user, method };
    return this.start({ source, session, digest }, old, user, device);
  }

  /** Uses up an old session without a successor, and ends it: for a sign-out. */
  async retire(presented: Presented, { ip }: DeviceInfo): Promise<void> {
    const { digest, session } = presented;
    // What a store does not have needs no claim: anyone could fill the table with them.
    const old = session.end ? await this.load(presented, ip) : null;
    const needsClaim = old !== 'absent' && old !== 'limited';
    if (!needsClaim || !(await this.claim(presented, {}))) await this.endSuccessor(digest);
    await this.end(presented);
  }

  /** The same request, or one at the same time, may have started a session, whose cookie the sign-out does not have. */
  private async endSuccessor(digest: string): Promise<void> {
    const used = await this.findClaim(digest);
    const sessionId = used?.metadata['sessionId'];
    if (typeof sessionId === 'string') await this.tools.sessions.revokeSession(sessionId);
  }

  private async start(
    presented: Presented,
    old: OldSession,
    user: StoredUser,
    device: DeviceInfo,
  ): Promise<Replacement | null> {
    const { clock, logger, sessions, storage } = this.tools;
    const { source, digest } = presented;
    const now = clock();
    const id = uuidV7(now);
    if (!(await this.claim(presented, { sessionId: id, at: now, epoch: user.epoch }))) {
      const winner = await this.findClaim(digest);
      return winner && this.successor(winner);
    }
    let issued: IssuedSession;
    try {
      issued = await sessions.issueSession(user, device, { id, signedInAt: this.signedInAt(old, now) });
    } catch (error) {
      // Blocked, or all sessions revoked, in the meantime.
      if (isServiceError(error) && refusals.has(error.code)) return null;
      // The storage has failed: the next request tries again.
      await storage.singleUseTokens.discard(digest);
      throw error;
    }
    logger.info(
      { event: 'signed_in', method: `old_session+${source.name}`, userId: user.id, ip: device.ip },
      'a session of the former system was replaced',
    );
    await this.end(presented);
    return { kind: 'session', user, issued };
  }

  /** Returns the session that has replaced an old one, shortly after. Later the old one is used up. */
  private async successor({ metadata }: SingleUseToken): Promise<Replacement | null> {
    const { clock, sessions, storage } = this.tools;
    const { sessionId, at, epoch } = metadata;
    if (typeof sessionId !== 'string' || typeof at !== 'number') return null;
    const isInGrace = () => clock() < at + graceMs;
    for (let waited = 0, step = 20; isInGrace() && waited < patienceMs; waited += step, step *= 2) {
      const row = await storage.sessions.findWithUser(sessionId);
      if (row) {
        const { session, user } = row;
        // A session that was bound since needs a proof of its browser.
        const isLive =
          session.revokedAt === null && session.boundAt === null && clock() < session.expiresAt.getTime();
        // A lockdown raises the epoch alone, and leaves the row of the session.
        if (!isLive || user.epoch !== epoch || isInForce(user.blocked, clock())) return null;
        const facts = { twoFactors: false, remember: true };
        return {
          kind: 'session',
          user,
          issued: { session, token: sessions.tokens.forSession(session, user.epoch, facts) },
        };
      }
      // The request that has claimed it is about to start its session.
      await sleep(step);
    }
    return null;
  }

  private refusalOf(user: StoredUser, old: OldSession): string | null {
    const now = this.tools.clock();
    if (old.expiresAt && !(old.expiresAt.getTime() > now)) return 'expired';
    if (isInForce(user.blocked, now)) return 'user_blocked';
    return user.epoch === 0 || countsSinceImport(user, old) ? null : 'revoked';
  }

  /**
   * The old system may have asked for less than this service does, and its sign-in may be long ago: the session never counts as a recent
   * sign-in. It lives for at least half of `maxAgeMs`, so that it is not over at once.
   */
  private signedInAt({ signedInAt }: OldSession, now: number): Date {
    const longest = this.options.maxAgeMs / 2;
    const latest = now - Math.min(day, longest);
    return new Date(Math.max(now - longest, Math.min(signedInAt?.getTime() ?? latest, latest)));
  }

  /**
   * Returns whether this call is the one that uses the session up. The claim may outlive `until`, which the application may move. A store
   * extends its sessions, and a request of the former system that is still running can bring back one that was ended.
   */
  private claim({ session, digest }: Presented, metadata: Record<string, unknown>): Promise<boolean> {
    const { clock, storage } = this.tools;
    const end = session.expiresAt?.getTime() ?? clock() + longestMs;
    const expiresAt = new Date(Math.min(latestTime, Math.max(end, clock() + 2 * graceMs)));
    return storage.singleUseTokens.claim({
      digest,
      purpose: 'old_session',
      subject: anybody,
      expiresAt,
      metadata,
    });
  }

  /** Looks an old session up, and counts what is not found. A store that fails is logged, and refuses no request. */
  private async load(
    { source, session }: Presented,
    ip: string | undefined,
  ): Promise<OldSession | NotLoaded> {
    const turn = await this.turns.turn(ip ?? '');
    try {
      const spent = await this.tools.limiter.consume(oldSessionLimits(ip));
      const old = await this.lookUp(source, session);
      if (old !== 'absent') await spent.refund();
      return old;
    } catch (error) {
      if (error instanceof RateLimitError) return 'limited';
      throw error;
    } finally {
      turn.end();
    }
  }

  private async lookUp(source: SessionSource, session: PresentedSession): Promise<OldSession | NotLoaded> {
    try {
      const old = (await withTimeout(session.load(), source.name, lookupMs)) ?? 'absent';
      if (old === 'absent') return old;
      mustBeDate(old.expiresAt, 'expiresAt');
      mustBeDate(old.signedInAt, 'signedInAt');
      return old;
    } catch (error) {
      this.logFailure(error, source, session);
      return 'unavailable';
    }
  }

  private isUnknown(digest: string): boolean {
    return (this.unknown.get(digest) ?? 0) > this.tools.clock();
  }

  private findClaim(digest: string): Promise<SingleUseToken | null> {
    const { clock, storage } = this.tools;
    return storage.singleUseTokens.find('old_session', digest, new Date(clock()));
  }

  private remember(digest: string): void {
    this.unknown.set(digest, this.tools.clock() + unknownMs);
  }

  /** The session of this service exists already, and the claim refuses the old one: a failure is logged. */
  private async end({ source, session }: Presented): Promise<void> {
    try {
      await withTimeout(session.end?.(), source.name, lookupMs);
    } catch (error) {
      this.logFailure(error, source, session);
    }
  }

  private logFailure(error: unknown, { name }: SessionSource, session?: PresentedSession): void {
    this.tools.logger.error(
      { event: 'old_session_failed', source: name, err: describeError(error, session ? [session.id] : []) },
      'a session of the former system could not be read or ended',
    );
  }
}

/**
 * Whether the sessions of an account have ended with its import alone. Otherwise all of them have been ended here since, and the old ones
 * were meant too. Later sign-ins count as little: the old system accepts the password that was replaced here, and that of a stranger whose
 * account the owner of the address has reclaimed.
 */
function countsSinceImport(user: StoredUser, old: OldSession): boolean {
  const mark = importMarkOf(user);
  if (mark !== 'claim') return mark === 'kept_id';
  // The import has ended the sessions that the maker of the account had here, who is not the user of the record. Only what names that user
  // counts: the id of the account was the maker's.
  return user.externalId !== null && !namesOwnId(old);
}

/**
 * Adapters of applications return what their database has, such as a string.
 * @throws TypeError
 */
function mustBeDate(time: unknown, name: string): void {
  if (time === undefined || time === null) return;
  if (!isDate(time) || Number.isNaN(time.getTime()))
    throw new TypeError(`${name} of a session must be a valid Date, or undefined.`);
}

const refusals: ReadonlySet<string> = new Set(['token_invalid', 'user_blocked', 'user_not_found']);

function digestOf({ name }: SessionSource, { id }: PresentedSession): string {
  // The id can be longer than a part of a MAC may be.
  return sha256(lengthPrefixed(['old_session', name, sha256(id)]));
}
