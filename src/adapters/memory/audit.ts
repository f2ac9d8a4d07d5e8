/** The audit log in memory. */
import { isOf, withoutOriginOfGone, type StoredAuditRecord } from '../../domain/audit.js';
import type { AuditRepository } from '../../storage/audit-repository.js';
import { copy } from './copy.js';
import type { Tables } from './tables.js';

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

export function memoryAudit({ auditRecords, auditSeals, auditState, users }: Tables): AuditRepository {
  const sorted = (matches: (record: StoredAuditRecord) => boolean) =>
    [...auditRecords.values()].filter((record) => matches(record)).sort(byId);
  const insert = (records: readonly StoredAuditRecord[]) => {
    for (const record of records) auditRecords.set(record.id, copy(record));
  };
  const stateOf = () => auditState.get('state') ?? null;
  return {
    async within(work, recordsOf) {
      const result = await work();
      insert(recordsOf(result));
      return result;
    },
    async insert(records) {
      insert(records);
    },
    async insertRefused(records) {
      insert(withoutOriginOfGone(records, (id) => !users.has(id)));
    },
    async list(filter, { from = '', before, limit }) {
      const { notAction, ...equal } = filter;
      const names = Object.keys(equal) as (keyof typeof equal)[];
      const matches = (record: StoredAuditRecord) =>
        record.id >= from &&
        (before === undefined || record.id < before) &&
        record.action !== notAction &&
        names.every((name) => equal[name] === undefined || record[name] === equal[name]);
      return copy(sorted(matches).reverse().slice(0, limit));
    },
    async find(id) {
      const record = auditRecords.get(id);
      return record ? copy(record) : null;
    },
    async anonymize(userIds) {
      const records = sorted((record) => record.personal !== null && isOf(record, userIds));
      for (const record of records) record.personal = null;
      return records.length;
    },
    async readState() {
      return stateOf();
    },
    async seal({ after = '', limit }, seal) {
      const open = sorted((record) => record.seal === null && record.id > after).slice(0, limit);
      if (open.length === 0) return 0;
      const batch = seal(stateOf(), copy(open));
      auditSeals.set(batch.seal.seal, copy(batch.seal));
      auditState.set('state', batch.state);
      for (const record of open) record.seal = batch.seal.seal;
      return open.length;
    },
    async listSeals(after, limit) {
      const seals = [...auditSeals.values()].filter(({ seal }) => seal > after);
      return copy(seals.sort((a, b) => a.seal - b.seal).slice(0, limit));
    },
    async listSealed(seal) {
      return copy(sorted((record) => record.seal === seal));
    },
    async listUnsealed({ after = '', limit }) {
      return copy(sorted((record) => record.seal === null && record.id > after).slice(0, limit));
    },
    async findOutside(first, last) {
      const [record] = sorted(({ seal }) => seal !== null && (seal < first || seal > last));
      return record ? copy(record) : null;
    },
    async removeOldest(decide) {
      const number = Math.min(...auditSeals.keys());
      const oldest = auditSeals.get(number);
      const records = sorted(({ seal }) => seal === number);
      const next = oldest ? decide(stateOf(), copy(oldest), copy(records)) : null;
      if (next === null) return null;
      for (const { id } of records) auditRecords.delete(id);
      auditSeals.delete(number);
      auditState.set('state', next);
      return records.length;
    },
  };
}
