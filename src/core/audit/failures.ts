/**
 * Records attempts that were refused. They change nothing, so a response does not wait for their records: those that come while some are
 * being stored go together into the next statement.
 */
import type { StoredAuditRecord } from '../../domain/audit.js';
import type { AuditRepository } from '../../storage/audit-repository.js';
import { describeError, type Logger } from '../support/logger.js';

/** Beyond this number the database is far behind; what is dropped is logged. */
const maxWaiting = 10_000;
const maxPerStatement = 200;

export class FailureRecorder {
  private waiting: StoredAuditRecord[] = [];
  private storing: Promise<void> | undefined;

  constructor(
    private readonly repository: AuditRepository,
    private readonly logger: Logger,
  ) {}

  add(record: StoredAuditRecord): void {
    if (this.waiting.length >= maxWaiting) return this.reportLost(1, 'too many are waiting');
    this.waiting.push(record);
    this.storing ??= this.storeAll().finally(() => (this.storing = undefined));
  }

  /** Resolves when every record so far is stored. */
  async flush(): Promise<void> {
    while (this.storing) await this.storing;
  }

  private async storeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, maxPerStatement);
      await this.repository.insert(batch).catch((error: unknown) => {
        this.reportLost(batch.length, describeError(error).message);
      });
    }
  }

  private reportLost(count: number, cause: unknown): void {
    this.logger.error({ event: 'audit_records_lost', count, cause }, 'records of refused attempts were lost');
  }
}
