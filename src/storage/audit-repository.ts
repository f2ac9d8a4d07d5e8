/** The audit log. Records are stored together with the change that they describe. */
import type { AuditSeal, StoredAuditRecord } from '../domain/audit.js';

/** Conditions that a record meets, all of them. */
export interface AuditRecordFilter {
  userId?: string;
  orgId?: string;
  clientId?: string;
  actorId?: string;
  action?: string;
  /** Any other action. */
  notAction?: string;
  outcome?: 'success' | 'failure';
  requestId?: string;
}

/** What the storage writes when it seals records. */
export interface SealedBatch {
  seal: AuditSeal;
  /** The new state of the chain. */
  state: string;
}

export interface AuditRepository {
  /**
   * Runs `work` in one transaction with every method of the adapter that it calls, and inserts the records before it commits. If either
   * fails, nothing remains. After a conflict it runs again, so `work` must have no effect outside of the adapter. Its methods run one
   * after another. A method that calls the application must be the first.
   */
  within<Result>(
    work: () => Promise<Result>,
    recordsOf: (result: Result) => readonly StoredAuditRecord[],
  ): Promise<Result>;
  insert(records: readonly StoredAuditRecord[]): Promise<void>;
  /**
   * As `insert`, for records that no change comes with. Atomically without the origin of those about a user, or in which a user acted, who
   * does not exist: a deletion that commits before this never gets a record with an origin, and one that commits later removes it. At most
   * 200 records.
   */
  insertRefused(records: readonly StoredAuditRecord[]): Promise<void>;
  /** Returns records with the newest id first. @param range.from the smallest id, @param range.before an id greater than all. */
  list(
    filter: AuditRecordFilter,
    range: { from?: string; before?: string; limit: number },
  ): Promise<StoredAuditRecord[]>;
  find(id: string): Promise<StoredAuditRecord | null>;
  /** Removes the origin of every record that is about one of the users, or in which one acted. Returns their number. */
  anonymize(userIds: readonly string[]): Promise<number>;
  /** Returns the state of the chain, or null before the first seal. */
  readState(): Promise<string | null>;
  /**
   * Reads at most `limit` records without a seal, those with the smallest ids, and writes what `seal` returns for them. One caller at a
   * time; records that another transaction is changing are left for the next call. Returns the number of records.
   * @param range.after only records with greater ids, so that a batch need not read past those that the batch before has sealed. A record
   * may become visible after others with greater ids were sealed, so only a call without `after` finds every record.
   * @param seal is called with the state of the chain. Not without records.
   */
  seal(
    range: { after?: string; limit: number },
    seal: (state: string | null, records: readonly StoredAuditRecord[]) => SealedBatch,
  ): Promise<number>;
  /** Returns the seals after a number, in order. */
  listSeals(after: number, limit: number): Promise<AuditSeal[]>;
  /** Returns the records of a seal, ordered by id. */
  listSealed(seal: number): Promise<StoredAuditRecord[]>;
  /** Returns records without a seal, ordered by id. */
  listUnsealed(range: { after?: string; limit: number }): Promise<StoredAuditRecord[]>;
  /** Returns a record whose seal has a number outside of a range, or null. */
  findOutside(first: number, last: number): Promise<StoredAuditRecord | null>;
  /**
   * Removes the oldest seal with its records, if `decide` returns a new state of the chain for them. Returns the number of records, or
   * null if it has removed nothing.
   */
  removeOldest(
    decide: (state: string | null, oldest: AuditSeal, records: readonly StoredAuditRecord[]) => string | null,
  ): Promise<number | null>;
}
