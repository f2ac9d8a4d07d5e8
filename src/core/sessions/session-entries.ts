/** The sessions that a process remembers, with their users. */
import { BoundedMap } from '../support/bounded-map.js';
import type { ServiceSession } from '../../domain/session.js';
import type { StoredUser } from '../../domain/user.js';

/** Beyond this number, the oldest entry is removed. */
const maxSessions = 10_000;

/** Characters of JSON. The sessions of a user with more metadata are not remembered. */
const maxMetadata = 4_000;

/** The hash of the password is not kept in memory. */
export type CheckedUser = Omit<StoredUser, 'passwordHash'>;

export interface SessionWithUser<User extends CheckedUser = CheckedUser> {
  session: ServiceSession;
  user: User;
}

export interface SessionEntry {
  session: ServiceSession;
  user: Omit<CheckedUser, 'metadata'>;
  /** JSON: each request receives a copy, because a handler may change its own. */
  metadata: string;
  /** Before the lookup began, by the clock of the service. */
  readAt: number;
}

/** Returns null if the user has too much metadata to be remembered. */
export function entryOf(
  { session, user: row }: SessionWithUser<StoredUser>,
  readAt: number,
): SessionEntry | null {
  const { passwordHash: _passwordHash, metadata: parsed, ...user } = row;
  const metadata = JSON.stringify(parsed);
  if (metadata.length > maxMetadata) return null;
  return { session, user: { ...user, ...datesOf(user) }, metadata, readAt };
}

/** Copies what a handler can reach through `req.user`. */
export function copyOf({ session, user, metadata }: SessionEntry): SessionWithUser {
  const copy = { metadata: JSON.parse(metadata) as Record<string, unknown>, ...datesOf(user) };
  return { session, user: { ...user, ...copy } };
}

function datesOf({
  createdAt,
  updatedAt,
}: SessionEntry['user']): Pick<CheckedUser, 'createdAt' | 'updatedAt'> {
  return { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

export class SessionEntries {
  /** By session id. */
  private readonly entries = new BoundedMap<string, SessionEntry>(maxSessions, (_id, entry) =>
    this.forgetOwner(entry),
  );
  private readonly sessionIdsByUser = new Map<string, Set<string>>();

  get(sessionId: string): SessionEntry | undefined {
    return this.entries.get(sessionId);
  }

  add(entry: SessionEntry): void {
    const { session, user } = entry;
    this.deleteSession(session.id);
    this.entries.set(session.id, entry);
    const ids = this.sessionIdsByUser.get(user.id);
    if (ids) ids.add(session.id);
    else this.sessionIdsByUser.set(user.id, new Set([session.id]));
  }

  /** @param id of a session or a user; null: all of them. */
  delete(id: string | null): void {
    if (id === null) {
      this.entries.clear();
      this.sessionIdsByUser.clear();
      return;
    }
    this.deleteSession(id);
    for (const sessionId of this.sessionIdsByUser.get(id) ?? []) this.deleteSession(sessionId);
  }

  private deleteSession(sessionId: string): void {
    const entry = this.entries.get(sessionId);
    if (!entry) return;
    this.entries.delete(sessionId);
    this.forgetOwner(entry);
  }

  private forgetOwner({ session, user }: SessionEntry): void {
    const ids = this.sessionIdsByUser.get(user.id);
    ids?.delete(session.id);
    if (ids?.size === 0) this.sessionIdsByUser.delete(user.id);
  }
}
