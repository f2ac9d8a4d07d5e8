/**
 * Reads sessions from a streaming replica that is known to be fresh enough (docs/decisions/replicas.md). The position of the primary's
 * log is read at a known time. When the replica has replayed up to there, it shows every change that was committed before that time.
 */
import { performance } from 'node:perf_hooks';
import type { SessionRepository } from '../../storage/repositories.js';
import type { Queryable } from './database.js';

export interface ReplicaOptions {
  /** Connection settings of the replica for `pg`: a connection string or an object. One server, not a pooler in front of several. */
  connection: string | object;
  /** How old the state may be that a session check reads, in milliseconds: 100 to 60,000. Default: 1,000. */
  maxStaleMs?: number;
}

type FindWithUser = SessionRepository['findWithUser'];

// The insert position: with `synchronous_commit` off, changes are acknowledged before they are written. The name of a file of the log
// begins with its timeline.
const readPosition = `
  select cast(pg_current_wal_insert_lsn() as text) as position,
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline`;

// A promotion begins a new timeline. A replica that still follows the old primary may be beyond the position without its changes.
const isReplayed = `
  select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= cast(:position as pg_lsn)
    and cast(:timeline as text) = lpad(upper(to_hex(greatest(
      (select timeline_id from pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_control_recovery())))), 8, '0') as is_replayed`;

/** A replica that takes longer is not used until it responds to a query of its position. */
const timeoutMs = 1_000;

/** A position in the log of the primary. */
interface Position {
  position: string;
  timeline: string;
}

export class SessionReplica {
  /** The replica shows every change that was committed before. */
  private freshUntil = -Infinity;
  /** The position to prove, and when it was read. */
  private pending: (Position & { readAt: number }) | null = null;
  private isPolling = false;
  private polledAt = -Infinity;
  /** When this process changed a session or a user, by id. The oldest is the first. */
  private readonly changes = new Map<string, number>();
  private allChangedAt = -Infinity;

  constructor(
    private readonly primary: Queryable,
    private readonly replica: Queryable,
    private readonly findWithUser: FindWithUser,
    private readonly maxStaleMs: number,
  ) {}

  /** Returns null if the primary must be asked. Never rejects. */
  async find(sessionId: string): ReturnType<FindWithUser> {
    this.poll();
    const { freshUntil } = this;
    if (performance.now() - freshUntil > this.maxStaleMs) return null;
    try {
      const row = await settled(this.findWithUser(sessionId));
      return row && !this.hasChanged([row.session.id, row.user.id], freshUntil) ? row : null;
    } catch {
      this.freshUntil = -Infinity;
      return null;
    }
  }

  /** Notes a change that this process has made, which its next check must see. */
  note(ids: readonly (string | null)[]): void {
    const now = performance.now();
    for (const id of ids) {
      if (id === null) this.allChangedAt = now;
      else {
        this.changes.delete(id);
        this.changes.set(id, now);
      }
    }
    for (const [id, changedAt] of this.changes) {
      if (changedAt >= this.freshUntil && now - changedAt <= this.maxStaleMs) break;
      this.changes.delete(id);
    }
  }

  private hasChanged(ids: readonly string[], since: number): boolean {
    return this.allChangedAt >= since || ids.some((id) => (this.changes.get(id) ?? -Infinity) >= since);
  }

  /** Asks in the background, while sessions are checked, so an idle process asks nothing. */
  private poll(): void {
    const now = performance.now();
    if (this.isPolling || now - this.polledAt < this.maxStaleMs / 8) return;
    this.isPolling = true;
    this.polledAt = now;
    const done = () => void (this.isPolling = false);
    settled(this.prove()).then(done, done);
  }

  private async prove(): Promise<void> {
    const now = performance.now();
    if (!this.pending || now - this.pending.readAt > this.maxStaleMs) {
      const [read] = await this.primary.query(readPosition, {}, (row: Position) => row);
      // The time before the position was read.
      this.pending = read ? { ...read, readAt: now } : null;
    }
    if (!this.pending) return;
    const { position, timeline, readAt } = this.pending;
    const [replayed] = await this.replica.query(
      isReplayed,
      { position, timeline },
      (row: { is_replayed: boolean | null }) => row.is_replayed,
    );
    if (replayed !== true) return;
    this.freshUntil = Math.max(this.freshUntil, readAt);
    this.pending = null;
  }
}

async function settled<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The replica did not respond in time.')), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
