/**
 * Sessions of open sockets (docs/decisions/lockdown.md): one subscription to changes and one timer per service. A change only says which
 * sessions to read again, so a report that is late, doubled or wrong ends no session.
 */
import { performance } from 'node:perf_hooks';
import { setInterval } from 'node:timers';
import type { SessionClaims } from '../../crypto/session-jwt.js';
import type { ServiceSession } from '../../domain/session.js';
import { toServiceUser, type ServiceUser } from '../../domain/user.js';
import { EmailUnverifiedError, InternalError, InvalidRequestError } from '../../errors/catalog.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import type { SessionChanges, SessionSubscription } from '../../storage/session-changes.js';
import { describeError, type Logger } from '../support/logger.js';
import type { Clock } from '../support/clock.js';
import type { LiveSession } from './session-checks.js';
import { endOf, readWatchedState, verificationEnd, type SessionEndReason } from './watched-state.js';

/** Called once. What it throws is logged. */
export type OnSessionEnd = (reason: SessionEndReason) => unknown;

/** A session that is watched. */
export interface SessionWatch {
  /** As at the call of `watch`. */
  readonly user: ServiceUser;
  /** Null for a token without its own row, such as one of `createSessionToken`. */
  readonly session: ServiceSession | null;
  /** Ends the watch: `onEnd` is not called any more. Call it when the socket closes. */
  stop(): void;
}

export const usualPollMs = 5_000;

/** How often the times of all sessions are compared with the clock. */
const tickMs = 1_000;

/** Sessions that are read at once: one statement of the adapters that combine lookups. */
const batchSize = 500;

interface Watched {
  claims: SessionClaims;
  onEnd: OnSessionEnd;
  pollMs: number;
  /** When it ends unless it is renewed, by the clock of the service. Null until the first check. */
  endsAt: number | null;
  /** When the last check that succeeded began, by the monotonic clock. */
  checkedAt: number;
  /** Whether the last check failed. It is tried again at every tick, also if changes are reported: this one would be missed. */
  hasFailed: boolean;
}

export interface WatchTools {
  authenticate: (token: string) => Promise<LiveSession>;
  verifyClaims: (token: string) => SessionClaims;
  storage: StorageAdapter;
  /** Where changes are reported. Null: sessions are polled. */
  changes: SessionChanges | null;
  unverifiedGraceMs: number | null;
  clock: Clock;
  logger: Logger;
}

export class WatchedSessions {
  private readonly watches = new Set<Watched>();
  /** By the ids of the session, its user and, of an impersonation, the administrator. */
  private readonly byId = new Map<string, Set<Watched>>();
  private readonly due = new Set<Watched>();
  private subscription: SessionSubscription | null = null;
  private timer: NodeJS.Timeout | undefined;
  private timerMs = Infinity;
  private isChecking = false;
  private isClosed = false;
  private hasWarned = false;

  constructor(private readonly tools: WatchTools) {}

  /**
   * @param checkToken what the token must fulfill besides: that of a request was checked with its proof.
   * @throws TokenInvalidError, EmailUnverifiedError as `requireSession`; InvalidRequestError; InternalError after `close()`.
   */
  async watch(
    token: string,
    onEnd: OnSessionEnd,
    pollMs: number = usualPollMs,
    checkToken: () => void = () => undefined,
  ): Promise<SessionWatch> {
    if (typeof onEnd !== 'function') throw new InvalidRequestError('onEnd must be a function.');
    if (!(pollMs >= 100 && pollMs <= 60_000))
      throw new InvalidRequestError('pollMs must be a number of milliseconds from 100 to 60000.');
    checkToken();
    const { authenticate, clock, unverifiedGraceMs, verifyClaims } = this.tools;
    if (this.isClosed) throw closed();
    // Costs no query and leaves nothing behind if the token is invalid.
    const claims = verifyClaims(token);
    this.open(pollMs);
    // Before the check: a change between the two must not be missed.
    const watched: Watched = {
      claims,
      onEnd,
      pollMs,
      endsAt: null,
      checkedAt: performance.now(),
      hasFailed: false,
    };
    this.add(watched);
    try {
      const { user, session } = await authenticate(token);
      if (this.isClosed) throw closed();
      const mustVerifyAt = verificationEnd(user, unverifiedGraceMs);
      if (clock() >= mustVerifyAt) throw new EmailUnverifiedError();
      // A refresh family is read at the end of its token.
      const endsAt = session ? endOf(claims, session) : claims.exp * 1000;
      watched.endsAt = Math.min(endsAt, mustVerifyAt);
      this.checkDue();
      return { user: toServiceUser(user), session, stop: () => this.remove(watched) };
    } catch (error) {
      this.remove(watched);
      throw error;
    }
  }

  /** The number of sessions that are watched. */
  get size(): number {
    return this.watches.size;
  }

  /** Ends every watch with `service_closed`. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { subscription } = this;
    this.subscription = null;
    for (const watched of [...this.watches]) this.end(watched, 'service_closed');
    this.stopTimer();
    await subscription?.close();
  }

  private open(pollMs: number): void {
    const { changes, logger } = this.tools;
    this.subscription ??=
      changes?.subscribe({
        onChange: (id) => this.changed(id),
        maxStaleMs: usualPollMs,
        warn: (fields) => logger.warn({ ...fields, event: 'session_watch_polled' }, polled),
      }) ?? null;
    const ms = Math.min(tickMs, pollMs);
    if (ms >= this.timerMs) return;
    this.stopTimer();
    this.timerMs = ms;
    this.timer = setInterval(() => this.tick(), ms).unref();
  }

  private stopTimer(): void {
    clearInterval(this.timer);
    this.timerMs = Infinity;
  }

  private add(watched: Watched): void {
    this.watches.add(watched);
    for (const id of idsOf(watched.claims)) {
      const others = this.byId.get(id);
      if (others) others.add(watched);
      else this.byId.set(id, new Set([watched]));
    }
  }

  private remove(watched: Watched): void {
    if (!this.watches.delete(watched)) return;
    this.due.delete(watched);
    for (const id of idsOf(watched.claims)) {
      const others = this.byId.get(id);
      others?.delete(watched);
      if (others?.size === 0) this.byId.delete(id);
    }
    if (this.watches.size === 0) this.stopTimer();
  }

  /** @param id of a session or a user. Null: any of them may have changed. */
  private changed(id: string | null): void {
    for (const watched of (id === null ? this.watches : this.byId.get(id)) ?? []) this.due.add(watched);
    this.checkDue();
  }

  private tick(): void {
    const now = this.tools.clock();
    const monotonic = performance.now();
    const isReported = this.subscription?.isCurrent() === true;
    for (const watched of this.watches) {
      const { checkedAt, claims, endsAt, hasFailed, pollMs } = watched;
      // The end of a refresh family is not reported.
      const isPolled = !isReported || claims.fid !== undefined;
      const isOld = isPolled && monotonic - checkedAt >= pollMs;
      if (hasFailed || isOld || (endsAt !== null && now >= endsAt)) this.due.add(watched);
    }
    this.checkDue();
  }

  private checkDue(): void {
    if (this.isChecking || this.due.size === 0) return;
    this.isChecking = true;
    void this.checkAll().finally(() => {
      this.isChecking = false;
      // One that became due since the last look.
      if ([...this.due].some(({ endsAt }) => endsAt !== null)) this.checkDue();
    });
  }

  private async checkAll(): Promise<void> {
    for (;;) {
      const batch: Watched[] = [];
      for (const watched of this.due) {
        // It is being checked for the first time, and becomes due after that.
        if (watched.endsAt === null) continue;
        batch.push(watched);
        if (batch.length === batchSize) break;
      }
      if (batch.length === 0) return;
      // Before they are read: a change while they are read makes them due again.
      for (const watched of batch) this.due.delete(watched);
      await Promise.all(batch.map((watched) => this.check(watched)));
    }
  }

  /** Never rejects. A database that cannot be reached ends no session. */
  private async check(watched: Watched): Promise<void> {
    const { clock, logger, storage, unverifiedGraceMs } = this.tools;
    const startedAt = performance.now();
    try {
      const state = await readWatchedState(storage, watched.claims, { unverifiedGraceMs, now: clock() });
      this.hasWarned = false;
      if ('endedBy' in state) return this.end(watched, state.endedBy);
      watched.endsAt = state.endsAt;
      watched.checkedAt = startedAt;
      watched.hasFailed = false;
    } catch (error) {
      watched.hasFailed = true;
      if (!this.hasWarned) logger.warn({ event: 'watch_failed', err: describeError(error) }, failed);
      this.hasWarned = true;
    }
  }

  private end(watched: Watched, reason: SessionEndReason): void {
    if (!this.watches.has(watched)) return;
    this.remove(watched);
    const log = (error: unknown) =>
      this.tools.logger.error({ event: 'watch_handler_failed', err: describeError(error) }, handlerFailed);
    try {
      // Not awaited: one that hangs delays no other.
      void Promise.resolve(watched.onEnd(reason)).catch(log);
    } catch (error) {
      log(error);
    }
  }
}

function idsOf({ act, actSid, fid, sid, sub }: SessionClaims): Set<string> {
  return new Set([sub, sid, fid, act?.sub, actSid].filter((id) => id !== undefined));
}

const closed = () => new InternalError(undefined, 'The service is closed, so it watches no session.');
const polled =
  'changes of sessions are not reported at once, so the sessions of open sockets are read every few seconds';
const failed = 'sessions of open sockets could not be checked; the process tries again';
const handlerFailed = 'the onEnd handler of a watched session failed';
