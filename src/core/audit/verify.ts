/** Verifies the audit log, and names the first record that is not as it was written. */
import type {
  AuditFault,
  AuditHead,
  AuditSeal,
  AuditVerification,
  StoredAuditRecord,
} from '../../domain/audit.js';
import type { AuditRepository } from '../../storage/audit-repository.js';
import type { AuditRecords } from '../support/audit-records.js';
import { headOf, isSameHead, isSealIntact, readChain, type ChainState } from './chain.js';

const sealsPerPage = 50;
const unsealedPerPage = 1_000;

/** @param heads as they were kept outside of the database. */
export async function verifyChain(
  repository: AuditRepository,
  records: AuditRecords,
  heads: readonly AuditHead[],
): Promise<AuditVerification> {
  return new Verification(repository, records, heads).run();
}

class Verification {
  private seals = 0;
  private records = 0;
  private unsealed = 0;

  constructor(
    private readonly repository: AuditRepository,
    private readonly signed: AuditRecords,
    private readonly heads: readonly AuditHead[],
  ) {}

  async run(): Promise<AuditVerification> {
    const state = await this.readState();
    const fault = state
      ? await this.faultIn(state)
      : { kind: 'changed' as const, recordId: null, seal: null };
    const { seals, records, unsealed } = this;
    const head = state && state.head.seal > 0 ? state.head : null;
    return { ok: fault === null, fault, records, seals, unsealed, head };
  }

  private async readState(): Promise<ChainState | null> {
    return readChain(this.signed, await this.repository.readState());
  }

  private async faultIn(state: ChainState): Promise<AuditFault | null> {
    return (
      (await this.faultInSeals(state)) ??
      this.missingHead(state) ??
      (await this.strayRecord()) ??
      (await this.faultInUnsealed())
    );
  }

  private async faultInSeals({ start, head }: ChainState): Promise<AuditFault | null> {
    let previous = start;
    while (previous.seal < head.seal) {
      const page = await this.repository.listSeals(previous.seal, sealsPerPage);
      for (const seal of page) {
        // The rest was sealed since.
        if (previous.seal === head.seal) break;
        const fault = await this.faultOf(seal, previous);
        if (!fault) {
          this.seals += 1;
          this.records += seal.ids.split(',').length;
          previous = headOf(seal);
          continue;
        }
        const removed = await this.removedSince(previous);
        if (!removed) return fault;
        // Retention has removed it in the meantime.
        previous = removed;
        break;
      }
      if (page.length > 0) continue;
      const removed = await this.removedSince(previous);
      if (!removed) return { kind: 'removed', recordId: null, seal: previous.seal + 1 };
      previous = removed;
    }
    return isSameHead(previous, head) ? null : { kind: 'changed', recordId: null, seal: head.seal };
  }

  /** Returns the start of the chain, if retention has moved it past a seal. */
  private async removedSince(previous: AuditHead): Promise<AuditHead | null> {
    const state = await this.readState();
    return state && state.start.seal > previous.seal ? state.start : null;
  }

  private async faultOf(seal: AuditSeal, previous: AuditHead): Promise<AuditFault | null> {
    const number = seal.seal;
    if (number !== previous.seal + 1) return { kind: 'removed', recordId: null, seal: previous.seal + 1 };
    const kept = this.heads.find((head) => head.seal === number);
    if (kept && !isSameHead(kept, headOf(seal))) return { kind: 'changed', recordId: null, seal: number };
    const batch = await this.repository.listSealed(number);
    const ids = seal.ids.split(',');
    const fault = await this.faultInBatch(number, ids, batch);
    if (fault) return fault;
    const isIntact = isSealIntact(this.signed, seal, batch, previous);
    return isIntact ? null : { kind: 'changed', recordId: null, seal: number };
  }

  /** Compares the records of a seal with the list of their ids, both in ascending order. */
  private async faultInBatch(
    seal: number,
    ids: readonly string[],
    batch: readonly StoredAuditRecord[],
  ): Promise<AuditFault | null> {
    for (let at = 0; at < Math.max(ids.length, batch.length); at += 1) {
      const [expected, record] = [ids[at], batch[at]];
      if (record && (expected === undefined || record.id < expected))
        return { kind: this.isIntact(record) ? 'swapped' : 'inserted', recordId: record.id, seal };
      if (expected !== undefined && record?.id !== expected) {
        // Another seal has it, or none.
        const moved = await this.repository.find(expected);
        return { kind: moved ? 'swapped' : 'removed', recordId: expected, seal };
      }
      if (record && !this.isIntact(record))
        return { kind: this.isOfAnother(record, ids) ? 'swapped' : 'changed', recordId: record.id, seal };
    }
    return null;
  }

  private isIntact(record: StoredAuditRecord): boolean {
    return this.signed.isIntact(record);
  }

  /** Whether the content belongs to another id of the seal. */
  private isOfAnother(record: StoredAuditRecord, ids: readonly string[]): boolean {
    return ids.some((id) => this.isIntact({ ...record, id }));
  }

  /** A head that the chain no longer has: its end was cut off, together with the state. */
  private missingHead({ start, head }: ChainState): AuditFault | null {
    const isLost = (kept: AuditHead) =>
      kept.seal > head.seal || (kept.seal === start.seal && !isSameHead(kept, start));
    const lost = this.heads.filter(isLost).sort((a, b) => a.seal - b.seal)[0];
    return lost ? { kind: 'removed', recordId: null, seal: Math.min(lost.seal, head.seal + 1) } : null;
  }

  /** A record with the number of a seal that the chain does not have. */
  private async strayRecord(): Promise<AuditFault | null> {
    const state = await this.readState();
    if (!state) return { kind: 'changed', recordId: null, seal: null };
    const { start, head } = state;
    const extra = (await this.repository.listSeals(head.seal, 1))[0];
    const stray = await this.repository.findOutside(start.seal + 1, head.seal);
    if (!extra && !stray) return null;
    // Unless it has been sealed, or removed, in the meantime.
    const later = await this.readState();
    if (later && !(isSameHead(later.head, head) && isSameHead(later.start, start))) return null;
    return { kind: 'inserted', recordId: stray?.id ?? null, seal: stray?.seal ?? extra?.seal ?? null };
  }

  private async faultInUnsealed(): Promise<AuditFault | null> {
    let after: string | undefined;
    for (;;) {
      const range = { limit: unsealedPerPage, ...(after !== undefined && { after }) };
      const page = await this.repository.listUnsealed(range);
      const forged = page.find((record) => !this.isIntact(record));
      if (forged) return { kind: 'changed', recordId: forged.id, seal: null };
      this.unsealed += page.length;
      after = page.at(-1)?.id;
      if (page.length < unsealedPerPage) return null;
    }
  }
}
