/** Reads the audit log in the order of the seals, in which no record appears later. */
// Imported, because fake timers in an application's tests replace the global objects.
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditRecord, StoredAuditRecord } from '../../domain/audit.js';
import { toAuditRecord } from '../../domain/audit.js';
import { isUuid } from '../../domain/uuid.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import type { AuditRepository } from '../../storage/audit-repository.js';
import type { Sealer } from './sealer.js';

/** A record, and the position after it. */
export interface TailedAuditRecord extends AuditRecord {
  /** Pass it as `after` to continue behind this record. */
  cursor: string;
}

interface Position {
  seal: number;
  id: string;
}

const sealsPerPage = 20;

/** @throws InvalidRequestError if it is not the cursor of a record. */
export function parsePosition(after: unknown): Position {
  if (after === undefined || after === null) return { seal: 0, id: '' };
  const [, seal, id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(typeof after === 'string' ? after : '') ?? [];
  if (id === undefined || !isUuid(id))
    throw new InvalidRequestError('after must be the cursor of a record.', { field: 'after' });
  return { seal: Number(seal), id };
}

/** Yields the records after a position; with `pollMs`, waits for more until the signal is aborted. */
export async function* tailRecords(
  { repository, sealer }: { repository: AuditRepository; sealer: Sealer },
  position: Position,
  { pollMs, signal }: { pollMs: number | null; signal: AbortSignal | undefined },
): AsyncGenerator<TailedAuditRecord, void, undefined> {
  let { seal, id } = position;
  let last: string | null = null;
  while (!signal?.aborted) {
    ({ last } = await sealer.sealBatch(last));
    for (;;) {
      // The seal of the position again: its last record may not be the one that was read last.
      const seals = await repository.listSeals(seal - 1, sealsPerPage);
      let isRead = false;
      for (const each of seals) {
        for (const record of await repository.listSealed(each.seal)) {
          if (each.seal === seal && record.id <= id) continue;
          if (signal?.aborted) return;
          yield withCursor(record, each.seal);
          isRead = true;
          [seal, id] = [each.seal, record.id];
        }
      }
      if (!isRead) break;
    }
    if (last !== null) continue;
    if (pollMs === null) return;
    await pause(pollMs, undefined, { signal, ref: true }).catch(() => undefined);
  }
}

function withCursor(record: StoredAuditRecord, seal: number): TailedAuditRecord {
  return { ...toAuditRecord(record), cursor: `${seal}.${record.id}` };
}
