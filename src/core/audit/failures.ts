/**
 * Records attempts to sign in and requests that were refused. They change nothing, so a response does not wait for their records: those
 * that come while some are being stored go together into the next statement.
 */
import { isOf, type StoredAuditRecord } from '../../domain/audit.js';
import type { AuditRepository } from '../../storage/audit-repository.js';
import type { AuditRecords } from '../support/audit-records.js';
import type { Clock } from '../support/clock.js';
import { describeError, type Logger } from '../support/logger.js';
import { isOrdinary, refusedRequest } from '../support/refused-requests.js';
import { FailureCounts, type FailedAttempt } from './failure-counts.js';

/** Beyond this number the database is far behind; what is dropped is logged. */
const maxWaiting = 10_000;
/** Requests never take the room of attempts to sign in, of which there are fewer. */
const maxWaitingAtRequest = maxWaiting / 2;
const maxPerStatement = 200;
/** How many records in a row are tried one by one and cannot be stored. The others of their statement are not tried. */
const maxInARow = 3;

export class FailureRecorder {
  private waiting: StoredAuditRecord[] = [];
  /** Apart, so that a flood of refused requests leaves the attempts to sign in their records. */
  private readonly counts = { signIns: new FailureCounts(), requests: new FailureCounts() };
  /** The statements that are running, with their records. */
  private readonly running = new Map<Promise<void>, readonly StoredAuditRecord[]>();
  private storing: Promise<void> | undefined;
  private hasEnded = false;

  constructor(
    private readonly repository: AuditRepository,
    private readonly records: AuditRecords,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  add(attempt: FailedAttempt): void {
    this.storeCounted();
    const counts = isRequest(attempt) ? this.counts.requests : this.counts.signIns;
    if (counts.admit(attempt)) return this.enqueue(attempt);
    if (!this.hasEnded) return;
    // Nothing would take it any more.
    counts.take(this.clock(), true);
    if (!isOrdinary(attempt.facts)) this.reportLost(1, 'the service is closed');
  }

  /** Stores what was counted in a window that has ended, in the background. With `all`, also in one that has not. */
  storeCounted(all = false): void {
    const { requests, signIns } = this.counts;
    for (const counts of [signIns, requests])
      for (const attempt of counts.take(this.clock(), all)) this.enqueue(attempt);
  }

  /**
   * For readers: resolves when the records so far are stored. A flood does not delay it: what waits is stored now, next to the statement
   * that is running, and what comes later, or does not fit into one statement, is not waited for.
   */
  async flush(): Promise<void> {
    const earlier = [...this.running.keys()];
    await Promise.all([...earlier, this.storeBatch()]);
  }

  /**
   * Resolves when everything is stored, including what was counted, and what came until then. For the end of the process: of what comes
   * later, the storage is still given what has a record each, and the others are logged as lost.
   */
  async drain(): Promise<void> {
    do {
      this.storeCounted(true);
      await this.settle();
    } while (Object.values(this.counts).some((counts) => counts.hasCounted));
    this.hasEnded = true;
    // Ordinary traffic, which may never end.
    this.storeCounted(true);
    await this.settle();
  }

  /**
   * What waits to be stored about users, and what is counted, loses its origin. Resolves when what was being stored is stored, with whether
   * some of it was about them.
   */
  async forget(userIds: readonly string[]): Promise<boolean> {
    const isTheirs = (record: StoredAuditRecord) => isOf(record, userIds);
    this.waiting = this.waiting.map((record) => (isTheirs(record) ? { ...record, personal: null } : record));
    for (const counts of Object.values(this.counts)) counts.forget(userIds);
    const running = [...this.running].filter(([, batch]) => batch.some(isTheirs));
    await Promise.all(running.map(([statement]) => statement));
    return running.length > 0;
  }

  /** As `forget`, after the deletion of users, also for what was being stored. Does not throw, because the deletion has committed. */
  async anonymize(userIds: readonly string[]): Promise<void> {
    try {
      if (await this.forget(userIds)) await this.repository.anonymize(userIds);
    } catch (error) {
      this.logger.error(
        { event: 'audit_anonymization_failed', userIds, err: describeError(error) },
        'records of refused attempts of deleted users may still have their origin: call audit.anonymize',
      );
    }
  }

  private async settle(): Promise<void> {
    while (this.storing || this.running.size > 0) await Promise.all([this.storing, ...this.running.keys()]);
  }

  private enqueue(attempt: FailedAttempt): void {
    const { facts, now, request } = attempt;
    const room = isRequest(attempt) ? maxWaitingAtRequest : maxWaiting;
    if (this.waiting.length >= room) return this.reportLost(1, 'too many are waiting');
    this.waiting.push(this.records.create(facts, now, request));
    this.storing ??= this.storeAll();
  }

  private async storeAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) await this.storeBatch();
    } finally {
      // In the step that finds nothing waiting: a record that came between the two would wait for the next one.
      this.storing = undefined;
    }
  }

  private async storeBatch(): Promise<void> {
    const batch = this.waiting.splice(0, maxPerStatement);
    if (batch.length === 0) return;
    const statement = this.store(batch).finally(() => this.running.delete(statement));
    this.running.set(statement, batch);
    await statement;
  }

  /** Stores records of several clients. One that cannot be stored does not take the others with it. Does not reject. */
  private async store(batch: readonly StoredAuditRecord[]): Promise<void> {
    // Twice, because a connection that has ended is replaced.
    if ((await this.failureOf(batch)) === null || (await this.failureOf(batch)) === null) return;
    let lost = 0;
    let inARow = 0;
    let cause: unknown;
    for (const record of batch) {
      // Without a database, every statement may take as long as its timeout, and what comes next waits for it.
      const failure = inARow < maxInARow ? await this.failureOf([record]) : cause;
      // The answer to an earlier statement may have been lost after its commit.
      if (failure === null || (inARow < maxInARow && (await this.isStored(record)))) {
        inARow = 0;
        continue;
      }
      lost += 1;
      inARow += 1;
      cause = failure;
    }
    if (lost > 0) this.reportLost(lost, cause);
  }

  /** Returns null once the records are stored. */
  private async failureOf(records: readonly StoredAuditRecord[]): Promise<unknown> {
    try {
      await this.repository.insertRefused(records);
      return null;
    } catch (error) {
      return describeError(error)['message'];
    }
  }

  private async isStored({ id }: StoredAuditRecord): Promise<boolean> {
    try {
      return (await this.repository.find(id)) !== null;
    } catch {
      return false;
    }
  }

  private reportLost(count: number, cause: unknown): void {
    this.logger.error({ event: 'audit_records_lost', count, cause }, 'records of refused attempts were lost');
  }
}

const isRequest = ({ facts }: FailedAttempt) => facts.action === refusedRequest;
