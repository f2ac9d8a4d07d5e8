/**
 * Checked sessions that processes share in a store, each with a copy in its memory (`session.cache.store`). Every entry ends
 * `maxStaleMs` after the lookup that it comes from, whatever else fails: docs/decisions/redis.md.
 */
import { performance } from 'node:perf_hooks';
import type { Keyring } from '../../crypto/keys.js';
import type { StorageWarning } from '../../storage/warning.js';
import type { SessionCacheStore } from '../../storage/session-cache-store.js';
import type { SessionSubscription } from '../../storage/session-changes.js';
import type { StoredUser } from '../../domain/user.js';
import type { Clock } from '../support/clock.js';
import type { CheckedSessions, LoadSession } from './session-cache.js';
import {
  copyOf,
  entryOf,
  SessionEntries,
  type SessionEntry,
  type SessionWithUser,
} from './session-entries.js';
import { sealEntry, unsealEntry } from './sealed-session.js';

/** How far the clocks of two processes may differ. They follow that of the database. */
const skewMs = 500;

/** Beyond this number of recent changes, every older entry is refused instead. */
const maxMarks = 10_000;

interface Tools {
  keys: Keyring;
  clock: Clock;
}

export class SharedSessionCache implements CheckedSessions {
  private subscription: SessionSubscription | null = null;
  private warn: StorageWarning = () => undefined;
  /** The kinds of calls of which the last one failed: a store may read although it refuses to write. */
  private readonly failing = new Set<'read' | 'write'>();
  private readonly entries = new SessionEntries();
  /** Until when an entry is kept, by the monotonic clock: the other clock may be set back, which would make an old entry young again. */
  private readonly keptUntil = new WeakMap<SessionEntry, number>();
  /** Until when entries of a session or a user that has changed are refused, by id. The oldest is the first. */
  private readonly marks = new Map<string, number>();
  /** Entries that were looked up until then are refused. */
  private validAfter = -Infinity;

  constructor(
    private readonly store: SessionCacheStore,
    private readonly maxStaleMs: number,
    private readonly tools: Tools,
  ) {}

  open(warn: StorageWarning): void {
    const { maxStaleMs } = this;
    this.warn = warn;
    this.subscription ??= this.store.subscribe({ onChange: (id) => this.mark(id), maxStaleMs, warn });
  }

  async close(): Promise<void> {
    const { subscription } = this;
    this.subscription = null;
    this.entries.delete(null);
    await subscription?.close();
  }

  find(sessionId: string): SessionWithUser | null {
    const entry = this.entries.get(sessionId);
    if (!entry || performance.now() > (this.keptUntil.get(entry) ?? -Infinity)) return null;
    return this.subscription?.isCurrent() && this.isUsable(entry) ? copyOf(entry) : null;
  }

  async findShared(sessionId: string, userId: string): Promise<SessionWithUser | null> {
    if (!this.subscription) return null;
    const [sealed, userMark] = await this.attempt('read', this.store.read([sessionId, userId]), []);
    // A value under the id of the user is a mark: something about the user has changed.
    if (typeof sealed !== 'string' || typeof userMark === 'string') return null;
    const entry = unsealEntry(this.tools.keys, sessionId, sealed);
    if (entry?.user.id !== userId || !this.isUsable(entry)) return null;
    this.remember(entry, performance.now() - Math.max(0, this.tools.clock() - entry.readAt));
    return copyOf(entry);
  }

  /**
   * The lookup may read what was there before a change that is marked while it runs. Its entry is refused then: by the marks in this
   * process, and by those in the store, which last until the entry has ended.
   */
  async lookUp(sessionId: string, load: LoadSession): Promise<SessionWithUser<StoredUser> | null> {
    const readAt = this.tools.clock();
    const startedAt = performance.now();
    const row = await load(sessionId);
    if (row?.session.revokedAt !== null || !this.subscription) return row;
    const entry = entryOf(row, readAt);
    if (!entry || !this.isUsable(entry)) return row;
    this.remember(entry, startedAt);
    const ttlMs = this.maxStaleMs - (this.tools.clock() - readAt);
    // The request does not wait for it.
    if (ttlMs >= 1)
      void this.attempt(
        'write',
        this.store.add(sessionId, sealEntry(this.tools.keys, entry), ttlMs),
        undefined,
      );
    return row;
  }

  /** Ends entries here, then in the store and in all processes. Never rejects: the entries end by themselves. */
  async markChanged(ids: readonly (string | null)[]): Promise<void> {
    for (const id of ids) this.mark(id);
    await this.attempt('write', this.store.markChanged(ids, this.maxStaleMs + 2 * skewMs), undefined);
  }

  /** @param readAt when the lookup began, by the monotonic clock. */
  private remember(entry: SessionEntry, readAt: number): void {
    this.keptUntil.set(entry, readAt + this.maxStaleMs);
    if (this.subscription?.isCurrent()) this.entries.add(entry);
  }

  private isUsable({ session, user, readAt }: SessionEntry): boolean {
    const now = this.tools.clock();
    const age = now - readAt;
    // A time in the future is that of another clock, or of this one before it was set back.
    if (!(age <= this.maxStaleMs && age >= -skewMs) || readAt <= this.validAfter) return false;
    return !this.isMarked(session.id, now) && !this.isMarked(user.id, now);
  }

  private isMarked(id: string, now: number): boolean {
    return now < (this.marks.get(id) ?? -Infinity);
  }

  /** @param id null: any session may have changed. */
  private mark(id: string | null): void {
    const now = this.tools.clock();
    this.entries.delete(id);
    if (id === null || this.marks.size >= maxMarks) {
      this.validAfter = now + skewMs;
      this.entries.delete(null);
      this.marks.clear();
      return;
    }
    this.marks.delete(id);
    this.marks.set(id, now + this.maxStaleMs + 2 * skewMs);
    for (const [oldest, until] of this.marks) {
      if (until > now) break;
      this.marks.delete(oldest);
    }
  }

  private async attempt<T>(kind: 'read' | 'write', work: Promise<T>, otherwise: T): Promise<T> {
    try {
      const result = await work;
      this.failing.delete(kind);
      return result;
    } catch {
      if (this.failing.size === 0)
        this.warn({ event: 'session_cache_off', cause: 'store_failed' }, storeFailed);
      this.failing.add(kind);
      return otherwise;
    }
  }
}

const storeFailed =
  'session.cache.store does not respond or refuses to write, so session checks ask the database. A session that another process ends may be accepted until maxStaleMs after its last check.';
