/**
 * Checked sessions that stay in the process, so that a check costs no query (`session.cache`). The
 * adapter reports their changes. An entry can only confirm a session: before a session is refused,
 * the storage is asked (session-checks.ts).
 */
import type { ServiceSession } from '../../domain/session.js';
import type { StoredUser } from '../../domain/user.js';
import type { StorageWarning } from '../../storage/warning.js';
import type { SessionChanges, SessionSubscription } from '../../storage/session-changes.js';

/** Beyond this number, the oldest entry is removed. */
const maxSessions = 10_000;

/** Characters of JSON. The sessions of a user with more metadata are not remembered. */
const maxMetadata = 4_000;

/** The hash of the password is not kept in memory. */
export type CheckedUser = Omit<StoredUser, 'passwordHash'>;

interface SessionWithUser<User extends CheckedUser = CheckedUser> {
  session: ServiceSession;
  user: User;
}

interface Entry {
  session: ServiceSession;
  user: Omit<CheckedUser, 'metadata'>;
  /** JSON: each request receives a copy, because a handler may change its own. */
  metadata: string;
}

/** Belongs to one service. Empty and without effect before `open()` and after `close()`. */
export class SessionCache {
  private subscription: SessionSubscription | null = null;
  /** By session id. The oldest is the first. */
  private readonly entries = new Map<string, Entry>();
  private readonly sessionIdsByUser = new Map<string, Set<string>>();
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

  /** Returns a session as it was at most `maxStaleMs` ago, or null if the storage must be asked. */
  find(sessionId: string): SessionWithUser | null {
    const entry = this.entries.get(sessionId);
    return entry && this.subscription?.isCurrent() ? copyOf(entry) : null;
  }

  /**
   * Looks up a session in the storage, and remembers it if nothing has changed in the meantime: the
   * lookup may have read what was there before the change.
   */
  async lookUp(
    sessionId: string,
    load: (sessionId: string) => Promise<SessionWithUser<StoredUser> | null>,
  ): Promise<SessionWithUser<StoredUser> | null> {
    const { changes } = this;
    const row = await load(sessionId);
    if (row?.session.revokedAt === null && changes === this.changes && this.subscription?.isCurrent())
      this.remember(row);
    return row;
  }

  private remember({ session, user: row }: SessionWithUser<StoredUser>): void {
    const { passwordHash: _passwordHash, metadata: parsed, ...user } = row;
    const metadata = JSON.stringify(parsed);
    if (metadata.length > maxMetadata) return;
    this.forgetSession(session.id);
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= maxSessions) this.forgetSession(oldest);
    this.entries.set(session.id, { session, user: { ...user, ...datesOf(user) }, metadata });
    const ids = this.sessionIdsByUser.get(user.id);
    if (ids) ids.add(session.id);
    else this.sessionIdsByUser.set(user.id, new Set([session.id]));
  }

  /** @param id of a session or a user; null: all of them. */
  private forget(id: string | null): void {
    this.changes += 1;
    if (id === null) {
      this.entries.clear();
      this.sessionIdsByUser.clear();
      return;
    }
    this.forgetSession(id);
    for (const sessionId of this.sessionIdsByUser.get(id) ?? []) this.forgetSession(sessionId);
  }

  private forgetSession(sessionId: string): void {
    const entry = this.entries.get(sessionId);
    if (!entry) return;
    this.entries.delete(sessionId);
    const ids = this.sessionIdsByUser.get(entry.user.id);
    ids?.delete(sessionId);
    if (ids?.size === 0) this.sessionIdsByUser.delete(entry.user.id);
  }
}

/** Copies what a handler can reach through `req.user`. */
function copyOf({ session, user, metadata }: Entry): SessionWithUser {
  const copy = { metadata: JSON.parse(metadata) as Record<string, unknown>, ...datesOf(user) };
  return { session, user: { ...user, ...copy } };
}

function datesOf({ createdAt, updatedAt }: Entry['user']): Pick<CheckedUser, 'createdAt' | 'updatedAt'> {
  return { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}
