/** `svc_audit_log`, `svc_audit_seals` and `svc_audit_chain`. */
import { usersOf, withoutOriginOfGone, type StoredAuditRecord } from '../../domain/audit.js';
import { isUuid } from '../../domain/uuid.js';
import type { AuditRecordFilter, AuditRepository } from '../../storage/audit-repository.js';
import type { Database, Queryable } from './database.js';
import { limitOf } from './list-range.js';
import { shareUsers } from './locks.js';
import { auditRecords, auditSeals } from './records.js';
import type { Bindings } from './statements.js';
import { columnsOf, readerOf, rowsInsertion, valuesOf } from './tables.js';

const recordColumns = columnsOf(auditRecords, 'a');
const toRecord = readerOf(auditRecords, 'a');
const toSeal = readerOf(auditSeals, 's');
const sealColumns = columnsOf(auditSeals, 's');

/** Rows per statement: SQLite takes 32,766 values. */
const maxRows = 200;

const conditions: Readonly<Record<keyof AuditRecordFilter, string>> = {
  userId: 'a.user_id = :userId',
  orgId: 'a.org_id = :orgId',
  clientId: 'a.client_id = :clientId',
  actorId: 'a.actor_id = :actorId',
  action: 'a.action = :action',
  notAction: 'a.action <> :notAction',
  outcome: 'a.outcome = :outcome',
  requestId: 'a.request_id = :requestId',
};

const readChain = `select c.state from svc_audit_chain c where c.id = 1`;
const toState = (row: Readonly<Record<string, unknown>>) => row['state'] as string;
const createChain = `insert into svc_audit_chain (id, state) values (1, '')`;
const writeChain = `update svc_audit_chain set state = :state where id = 1`;

const listSealed = `select ${recordColumns} from svc_audit_log a where a.seal = :seal order by a.id`;
const findOldest = `select ${sealColumns} from svc_audit_seals s order by s.seal limit 1`;
const listSeals = `select ${sealColumns} from svc_audit_seals s where s.seal > :after order by s.seal`;
// In the order of the ids, in which everyone locks them.
const findPersonal = `
  select a.id from svc_audit_log a
  where (a.user_id in (:userIds*) or a.actor_id in (:userIds*) or a.acting_user_id in (:userIds*)) and a.personal is not null
  order by a.id {lock}`;
const removePersonal = `update svc_audit_log set personal = null where id in (:ids*)`;

/** Returns the statements that insert the records, with their bindings. */
function insertions(records: readonly StoredAuditRecord[]): [text: string, bindings: Bindings][] {
  const result: [string, Bindings][] = [];
  for (let start = 0; start < records.length; start += maxRows) {
    const rows = records.slice(start, start + maxRows);
    const bindings: Record<string, Bindings[string]> = {};
    for (const [at, record] of rows.entries())
      for (const [name, value] of Object.entries(valuesOf(auditRecords, record)))
        bindings[`${name}_r${at}`] = value;
    result.push([rowsInsertion(auditRecords, rows.length), bindings]);
  }
  return result;
}

/** Selects records without a seal, ordered by id. Also ordered by `seal`, which is null, or PostgreSQL reads and sorts all of them. */
function unsealed({ after, limit }: { after?: string; limit: number }): { sql: string; bindings: Bindings } {
  return {
    sql: `select ${recordColumns} from svc_audit_log a
      where a.seal is null ${after === undefined ? '' : 'and a.id > :after'}
      order by a.seal, a.id {${limitOf(limit)}}`,
    bindings: after === undefined ? {} : { after },
  };
}

/** Returns the state of the chain, which the transaction has locked then. Null before the first seal. */
async function lockChain(transaction: Queryable): Promise<string | null | undefined> {
  return transaction.find(`${readChain} {lock}`, {}, toState);
}

export function auditQueries(db: Database): AuditRepository {
  /** Runs `work` while no one else changes the chain. */
  async function onChain<Result>(
    work: (transaction: Queryable, state: string | null) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      const outcome = await db.transaction(async (transaction) => {
        const state = await lockChain(transaction);
        return state === null || state === undefined
          ? null
          : { result: await work(transaction, state === '' ? null : state) };
      });
      if (outcome) return outcome.result;
      try {
        await db.execute(createChain, {});
      } catch (error) {
        if (db.violatedKey(error) === null) throw error;
      }
    }
  }

  return {
    within: (work, recordsOf) =>
      db.within(async () => {
        const result = await work();
        for (const insertion of insertions(recordsOf(result))) await db.executeLast(...insertion);
        return result;
      }),
    async insert(records) {
      for (const insertion of insertions(records)) await db.execute(...insertion);
    },
    insertRefused: (records) =>
      db.transaction(async (transaction) => {
        // Locked until the records are visible: a deletion either waits, and then removes their origin, or was earlier.
        const ids = new Set(records.flatMap((record) => usersOf(record)));
        const userOf = await shareUsers(transaction, [...ids]);
        const kept = withoutOriginOfGone(records, (id) => userOf(id) === null);
        for (const insertion of insertions(kept)) await transaction.execute(...insertion);
      }),
    async list(filter, { from, before, limit }) {
      const { userId, orgId } = filter;
      if ([userId, orgId].some((id) => id !== undefined && !isUuid(id))) return [];
      const names = Object.keys(conditions) as (keyof AuditRecordFilter)[];
      const where = [
        ...names.filter((name) => filter[name] !== undefined).map((name) => conditions[name]),
        ...(from === undefined ? [] : ['a.id >= :from']),
        ...(before === undefined ? [] : ['a.id < :before']),
      ];
      const bindings = Object.fromEntries(
        Object.entries({ ...filter, from, before }).filter(([, value]) => value !== undefined),
      ) as Bindings;
      const text = `select ${recordColumns} from svc_audit_log a
        ${where.length > 0 ? `where ${where.join(' and ')}` : ''} order by a.id desc ${limitOf(limit)}`;
      return db.query(text, bindings, toRecord);
    },
    find: async (id) =>
      isUuid(id)
        ? db.find(`select ${recordColumns} from svc_audit_log a where a.id = :id`, { id }, toRecord)
        : null,
    async anonymize(userIds) {
      const ids = userIds.filter((id) => isUuid(id));
      if (ids.length === 0) return 0;
      return db.transaction(async (transaction) => {
        const found = await transaction.query(findPersonal, { userIds: ids }, (row) => row['id'] as string);
        for (let start = 0; start < found.length; start += 1000)
          await transaction.execute(removePersonal, { ids: found.slice(start, start + 1000) });
        return found.length;
      });
    },
    async readState() {
      const state = await db.find(readChain, {}, toState);
      return state === '' ? null : state;
    },
    seal: (range, seal) =>
      onChain(async (transaction, state) => {
        const { sql, bindings } = unsealed(range);
        const open = await transaction.query(`${sql} {skip}`, bindings, toRecord);
        if (open.length === 0) return 0;
        const batch = seal(state, open);
        const ids = open.map(({ id }) => id);
        await transaction.execute(auditSeals.insertion, valuesOf(auditSeals, batch.seal));
        await transaction.execute(`update svc_audit_log set seal = :seal where id in (:ids*)`, {
          seal: batch.seal.seal,
          ids,
        });
        await transaction.execute(writeChain, { state: batch.state });
        return open.length;
      }),
    listSeals: (after, limit) => db.query(`${listSeals} ${limitOf(limit)}`, { after }, toSeal),
    listSealed: (seal) => db.query(listSealed, { seal }, toRecord),
    listUnsealed: (range) => {
      const { sql, bindings } = unsealed(range);
      return db.query(sql, bindings, toRecord);
    },
    async findOutside(first, last) {
      // Two statements: each reads one end of an index.
      for (const [text, bindings] of [
        [
          `select ${recordColumns} from svc_audit_log a where a.seal > :last order by a.seal, a.id limit 1`,
          { last },
        ],
        [
          `select ${recordColumns} from svc_audit_log a where a.seal < :first order by a.seal, a.id limit 1`,
          { first },
        ],
      ] as const) {
        const record = await db.find(text, bindings, toRecord);
        if (record) return record;
      }
      return null;
    },
    removeOldest: (decide) =>
      onChain(async (transaction, state) => {
        const oldest = await transaction.find(findOldest, {}, toSeal);
        if (!oldest) return null;
        const { seal } = oldest;
        const next = decide(state, oldest, await transaction.query(listSealed, { seal }, toRecord));
        if (next === null) return null;
        const removed = await transaction.execute(`delete from svc_audit_log where seal = :seal`, { seal });
        await transaction.execute(`delete from svc_audit_seals where seal = :seal`, { seal });
        await transaction.execute(writeChain, { state: next });
        return removed;
      }),
  };
}
