/** Imports users of another system in batches: each record is checked alone, each batch is one transaction (docs/import.md). */
import type { ImportFault, ImportReport } from '../../domain/import-report.js';
import type { ImportOptions, ImportedUser } from '../../domain/imported-user.js';
import { ImportConflictError } from '../../errors/catalog.js';
import { externalIdOf } from '../../domain/external-id.js';
import { isServiceError } from '../../errors/service-error.js';
import type { ImportOutcome, ImportRecord, ImportRepository } from '../../storage/import-repository.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { capability } from '../support/capability.js';
import type { Clock } from '../support/clock.js';
import type { Changes } from '../support/changes.js';
import type { EmittedEvent } from '../support/events.js';
import { isMarked } from '../passwords/foreign/imported-hash.js';
import { untilAborted } from './abortable.js';
import { DryRun } from './dry-run.js';
import { checkSource, parseImportOptions } from './import-options.js';
import { faultOf, ImportTally, type ImportConfiguration } from './import-report.js';
import { parseRecord, type RecordOptions, type RecordTools } from './parse-record.js';

const usualBatch = 500;

interface ImportTools {
  clock: Clock;
  changes: Changes;
  storage: StorageAdapter;
  record: RecordTools;
  configured: ImportConfiguration;
  /** Logs that an unverified account was claimed. */
  logClaim: (userId: string) => void;
}

/** A record that was read: checked, or refused. */
interface Entry {
  index: number;
  record: ImportRecord | null;
  fault?: ImportFault;
}

export class UserImports {
  constructor(private readonly tools: ImportTools) {}

  async import(
    records: Iterable<ImportedUser> | AsyncIterable<ImportedUser>,
    given?: ImportOptions | null,
  ): Promise<ImportReport> {
    const options = parseImportOptions(given);
    const source = checkSource(records);
    const run = new ImportRun(this.tools, options, this.repository);
    return run.all(source);
  }

  /** Checks one record. @throws InvalidRequestError */
  parse(record: unknown, options: RecordOptions): ImportRecord {
    return parseRecord(record, this.tools.record, options, new Date(this.tools.clock()));
  }

  /** Imports one checked record, unless it belongs to an existing account. */
  async importOne(record: ImportRecord): Promise<ImportOutcome> {
    const now = new Date(this.tools.clock());
    const batch = { records: [record], onConflict: 'skip' as const, dryRun: false, now };
    const { outcomes } = await store(this.tools, this.repository, batch);
    return outcomes[0] as ImportOutcome;
  }

  private get repository(): ImportRepository {
    return capability(this.tools.storage, 'imports');
  }
}

/** Stores a batch, and reports the claims in it. */
async function store(
  { changes, logClaim }: ImportTools,
  repository: ImportRepository,
  batch: Parameters<ImportRepository['importUsers']>[0],
): ReturnType<ImportRepository['importUsers']> {
  const result = await changes.commit(
    () => repository.importUsers(batch),
    ({ isWritten, outcomes }) => (isWritten && !batch.dryRun ? eventsOf(outcomes) : []),
  );
  if (result.isWritten && !batch.dryRun) for (const userId of claimedIn(result.outcomes)) logClaim(userId);
  return result;
}

function eventsOf(outcomes: readonly ImportOutcome[]): EmittedEvent[] {
  const idsOf = (status: ImportOutcome['status']) =>
    outcomes.flatMap((each) => (each.status === status && 'userId' in each ? [each.userId] : []));
  const [created, merged, renewed] = [idsOf('created'), idsOf('merged'), idsOf('renewed')];
  const claims = claimedIn(outcomes).map((userId): EmittedEvent => ['user.claimed', { userId }]);
  return created.length + merged.length + renewed.length > 0
    ? [...claims, ['users.imported', { created, merged, renewed }]]
    : claims;
}

const claimedIn = (outcomes: readonly ImportOutcome[]) =>
  outcomes.flatMap((each) => (each.status === 'merged' && each.claimed ? [each.userId] : []));

/** One import. */
class ImportRun {
  private readonly tally: ImportTally;
  private readonly dryRun: DryRun | null;
  private nextIndex = 0;

  constructor(
    private readonly tools: ImportTools,
    private readonly options: ImportOptions,
    private readonly repository: ImportRepository,
  ) {
    this.tally = new ImportTally(options, tools.configured);
    this.dryRun = options.dryRun
      ? new DryRun(options.onConflict ?? 'fail', options.updatePasswords === true)
      : null;
  }

  async all(source: Iterable<unknown> | AsyncIterable<unknown>): Promise<ImportReport> {
    const { signal, batchSize = usualBatch } = this.options;
    let batch: Entry[] = [];
    // While a batch is stored, the next one is read and checked.
    let storing: Promise<void> = Promise.resolve();
    const store = async () => {
      await storing;
      storing = this.store(batch);
      // Awaited later: until then a failure must not count as unhandled.
      storing.catch(() => undefined);
      batch = [];
    };
    try {
      for await (const input of untilAborted(source, signal)) {
        if (signal?.aborted) break;
        batch.push(this.read(input));
        if (batch.length < batchSize) continue;
        await store();
      }
      if (batch.length > 0 && !signal?.aborted) await store();
    } finally {
      await Promise.allSettled([storing]);
    }
    await storing;
    if (signal?.aborted) this.tally.aborted();
    return this.tally.snapshot();
  }

  private read(input: unknown): Entry {
    const index = this.nextIndex;
    this.nextIndex += 1;
    try {
      const now = new Date(this.tools.clock());
      const record = parseRecord(input, this.tools.record, this.options, now);
      return { index, record };
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'invalid_request') throw error;
      const { field, reason = 'invalid_request', message } = error;
      const fault = {
        index,
        externalId: idOf(input, this.options.externalIdPrefix),
        reason,
        message,
        ...(field !== undefined && { field }),
      };
      return { index, record: null, fault };
    }
  }

  private async store(entries: readonly Entry[]): Promise<void> {
    const { onConflict = 'fail', dryRun = false, onProgress, updatePasswords = false } = this.options;
    const stored = entries.flatMap(({ index, record }) => (record ? [{ index, record }] : []));
    const records = stored.map(({ record }) => record);
    const now = new Date(this.tools.clock());
    const none = { isWritten: true, outcomes: [] };
    // Not those that a hasher of the application verifies as its own: they look like the hash of a password that was set here.
    const batch = { records, onConflict, dryRun, now, ...(updatePasswords && { mayRenew: isMarked }) };
    const { isWritten, outcomes } =
      records.length > 0 ? await store(this.tools, this.repository, batch) : none;
    if (!isWritten) throw this.conflictOf(stored, outcomes);
    const outcomeOf = new Map(stored.map(({ index }, at) => [index, outcomes[at] as ImportOutcome]));
    for (const { index, record, fault } of entries) {
      if (!record) {
        this.tally.refuse(fault as ImportFault);
        continue;
      }
      const outcome = outcomeOf.get(index) as ImportOutcome;
      this.tally.add(index, record, this.dryRun?.settle(record, outcome) ?? outcome);
    }
    await onProgress?.(this.tally.snapshot());
  }

  private conflictOf(
    stored: readonly { index: number; record: ImportRecord }[],
    outcomes: readonly ImportOutcome[],
  ): ImportConflictError {
    const faults = outcomes.flatMap((outcome, at): ImportFault[] => {
      const of = stored[at];
      if (outcome.status !== 'conflict' || !of) return [];
      const { index, record } = of;
      return [faultOf(index, record.user.externalId, outcome.reason, outcome.field)];
    });
    return new ImportConflictError(faults, this.tally.snapshot());
  }
}

/** For the report of a record that was refused. */
function idOf(input: unknown, prefix = ''): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const { externalId, id } = input as { externalId?: unknown; id?: unknown };
  const known = externalIdOf(externalId) ?? externalIdOf(id);
  return known === null ? null : prefix + known;
}
