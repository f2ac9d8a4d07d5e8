/**
 * The chain of seals: each is a MAC over a batch of records and the seal before it. The state of the chain is signed too, so that a seal
 * which is cut off at the end is missed.
 */
import type { AuditHead, AuditSeal, StoredAuditRecord } from '../../domain/audit.js';
import { constantTimeEqual } from '../../crypto/digest.js';
import { InternalError } from '../../errors/catalog.js';
import type { SealedBatch } from '../../storage/audit-repository.js';
import type { AuditRecords } from '../support/audit-records.js';

/** The chain between two seals. The records up to `start` were removed by retention. */
export interface ChainState {
  start: AuditHead;
  head: AuditHead;
}

const none: AuditHead = { seal: 0, records: 0, mac: '' };
export const emptyChain: ChainState = { start: none, head: none };

/** Returns null if the state is not what was signed. */
export function readChain(records: AuditRecords, text: string | null): ChainState | null {
  if (text === null) return emptyChain;
  try {
    const { start, head, mac } = JSON.parse(text) as ChainState & { mac: string };
    return records.isSigned(mac, ...partsOf({ start, head })) ? { start, head } : null;
  } catch {
    return null;
  }
}

export function writeChain(records: AuditRecords, state: ChainState): string {
  return JSON.stringify({ ...state, mac: records.sign(...partsOf(state)) });
}

/** Returns the seal of a batch. @throws InternalError if the chain is not what was signed: a seal would hide it. */
export function sealBatch(
  records: AuditRecords,
  text: string | null,
  batch: readonly StoredAuditRecord[],
  now: Date,
): SealedBatch {
  const chain = readChain(records, text);
  if (!chain) throw new InternalError(undefined, 'The chain of the audit log was changed.');
  const { start, head } = chain;
  const newestAt = new Date(Math.max(...batch.map(({ occurredAt }) => occurredAt.getTime())));
  const unsigned = {
    seal: head.seal + 1,
    sealedAt: now,
    newestAt,
    records: head.records + batch.length,
    ids: batch.map(({ id }) => id).join(','),
    mac: '',
  };
  const seal = { ...unsigned, mac: records.sign(...sealParts(unsigned, batch, head.mac)) };
  return { seal, state: writeChain(records, { start, head: headOf(seal) }) };
}

export function isSealIntact(
  records: AuditRecords,
  seal: AuditSeal,
  batch: readonly StoredAuditRecord[],
  previous: AuditHead,
): boolean {
  if (seal.records !== previous.records + batch.length) return false;
  return records.isSigned(seal.mac, ...sealParts(seal, batch, previous.mac));
}

export const headOf = ({ seal, records, mac }: AuditSeal): AuditHead => ({ seal, records, mac });

export const isSameHead = (a: AuditHead, b: AuditHead): boolean =>
  a.seal === b.seal && a.records === b.records && constantTimeEqual(a.mac, b.mac);

function partsOf({ start, head }: ChainState): string[] {
  return ['state', ...[start, head].flatMap(({ seal, records, mac }) => [`${seal} ${records}`, mac])];
}

function sealParts(
  { seal, sealedAt, newestAt, records, ids }: AuditSeal,
  batch: readonly StoredAuditRecord[],
  previousMac: string,
): string[] {
  const numbers = [seal, sealedAt.getTime(), newestAt.getTime(), records].join(' ');
  return ['seal', numbers, previousMac, ids, batch.map(({ mac }) => mac).join(',')];
}
