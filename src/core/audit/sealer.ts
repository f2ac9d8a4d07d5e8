/** Seals the records of the audit log: by a timer, one process at a time, and before the log is verified or read in order. */
// Imported, not global: an application that tests with fake timers replaces the global ones.
import { clearInterval, setInterval } from 'node:timers';
import type { AuditRepository } from '../../storage/audit-repository.js';
import type { AuditRecords } from '../support/audit-records.js';
import type { Clock } from '../support/clock.js';
import { describeError, type Logger } from '../support/logger.js';
import { headOf, isSealIntact, readChain, sealBatch, writeChain } from './chain.js';

const batchSize = 1_000;

export class Sealer {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly repository: AuditRepository,
    private readonly records: AuditRecords,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Called by the timer before it seals. */
    private readonly beforeTick: () => void = () => undefined,
  ) {}

  /** Seals every `ms`, until `stop`. Does not keep the process alive. */
  start(ms: number): void {
    this.timer ??= setInterval(() => this.tick(), ms);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.running;
  }

  /** Seals every record that is visible now. Returns their number. */
  async seal(): Promise<number> {
    let sealed = 0;
    let last: string | null = null;
    do {
      const batch = await this.sealBatch(last);
      sealed += batch.records;
      last = batch.last;
    } while (last !== null);
    return sealed;
  }

  /**
   * Seals one batch. For readers, who read it before they wait for the next one.
   * @param after `last` of the batch before, or null to begin again: then a record is found that became visible late.
   * @returns also the last id, or null if no record is left after it.
   */
  async sealBatch(after: string | null): Promise<{ records: number; last: string | null }> {
    const now = new Date(this.clock());
    const range = { limit: batchSize, ...(after !== null && { after }) };
    let last: string | null = null;
    const records = await this.repository.seal(range, (state, batch) => {
      last = batch.at(-1)?.id ?? null;
      return sealBatch(this.records, state, batch, now);
    });
    return { records, last: records === batchSize ? last : null };
  }

  /**
   * Removes whole seals whose records are all older than `before`, at most about `limit` records. The state of the chain then begins with
   * the last one that was removed. Returns the number of records.
   */
  async removeBefore(before: Date, limit = Infinity): Promise<number> {
    let removed = 0;
    while (removed < limit) {
      const batch = await this.repository.removeOldest((text, oldest, records) => {
        const chain = readChain(this.records, text);
        if (!chain || oldest.seal !== chain.start.seal + 1 || !(oldest.newestAt < before)) return null;
        // What was changed stays, to be examined. A forged time must not let retention remove it under a signature.
        const isIntact =
          isSealIntact(this.records, oldest, records, chain.start) &&
          records.every((record) => this.records.isIntact(record));
        if (!isIntact) return null;
        return writeChain(this.records, { ...chain, start: headOf(oldest) });
      });
      if (batch === null) break;
      removed += batch;
    }
    return removed;
  }

  private tick(): void {
    this.beforeTick();
    this.running ??= this.seal()
      .then(
        () => undefined,
        (error: unknown) =>
          this.logger.error(
            { event: 'audit_seal_failed', err: describeError(error) },
            'the audit log could not be sealed',
          ),
      )
      .finally(() => (this.running = undefined));
  }
}
