/**
 * Checked sessions that stay in the process, so that a check costs no query (`session.cache`). The
 * adapter reports their changes. An entry can only confirm a session: before a session is refused,
 * the storage is asked (session-checks.ts).
 */
import type { StoredUser } from '../../domain/user.js';
import type { StorageWarning } from '../../storage/warning.js';
import type { SessionChanges, SessionSubscription } from '../../storage/session-changes.js';
import { copyOf, entryOf, SessionEntries, type SessionWithUser } from './session-entries.js';

/** Reads a session from the storage. */
export type LoadSession = (sessionId: string) => Promise<SessionWithUser<StoredUser> | null>;

/** Belongs to one service. Empty and without effect before `open()` and after `close()`. */
export interface CheckedSessions {
  open(warn: StorageWarning): void;
  close(): Promise<void>;
  /** Returns a session as it was at most `maxStaleMs` ago, or null if the storage must be asked. */
  find(sessionId: string): SessionWithUser | null;
  /** Like `find`, among the sessions that other processes have checked. */
  findShared?(sessionId: string, userId: string): Promise<SessionWithUser | null>;
  /** Looks up a session in the storage, and remembers it unless it has changed in the meantime. */
  lookUp(sessionId: string, load: LoadSession): Promise<SessionWithUser<StoredUser> | null>;
}

export class SessionCache implements CheckedSessions {
  private subscription: SessionSubscription | null = null;
  private readonly entries = new SessionEntries();
  /** The number of changes so far. */
  private changes = 0;

  constructor(
    private readonly source: SessionChanges,
    private readonly maxStaleMs: number,
  ) {}

  open(warn: StorageWarning): void {
    const { maxStaleMs } = this;
    this.subscription ??= this.source.subscribe({ onChange: (id) => this.forget(id), maxStaleMs, warn });
  }

  async close(): Promise<void> {
    const { subscription } = this;
    this.subscription = null;
    this.forget(null);
    await subscription?.close();
  }

  find(sessionId: string): SessionWithUser | null {
    const entry = this.entries.get(sessionId);
    return entry && this.subscription?.isCurrent() ? copyOf(entry) : null;
  }

  /** A lookup during which anything has changed is not remembered: it may have read what was there before. */
  async lookUp(sessionId: string, load: LoadSession): Promise<SessionWithUser<StoredUser> | null> {
    const { changes } = this;
    const row = await load(sessionId);
    if (row?.session.revokedAt === null && changes === this.changes && this.subscription?.isCurrent()) {
      // The adapter reports every change, so the age of an entry does not matter.
      const entry = entryOf(row, 0);
      if (entry) this.entries.add(entry);
    }
    return row;
  }

  private forget(id: string | null): void {
    this.changes += 1;
    this.entries.delete(id);
  }
}
