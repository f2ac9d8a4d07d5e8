/** The import of users: batches in transactions, with insertions of many rows. */
import type {
  ImportBatch,
  ImportBatchOutcome,
  ImportObstacle,
  ImportOutcome,
  ImportRecord,
  ImportRepository,
} from '../../../storage/import-repository.js';
import {
  additionsTo,
  addsAnything,
  decideImport,
  withoutCollisions,
  type Additions,
  type ImportDecision,
  type KnownAccounts,
} from '../../../storage/import-plan.js';
import { pauseWithJitter } from '../../../storage/retries.js';
import type { Database, Queryable } from '../database.js';
import { lockUsers } from '../locks.js';
import { readKnownAccounts } from './known-accounts.js';
import { replacePassword } from '../revocations.js';
import { addToAccount, readOwned } from './merges.js';
import { insertNewUsers, type InsertSecondFactors } from './new-users.js';
import { previewRenamed, storeMembers, type NewMember } from './orgs.js';

/** Ends the transaction without a change. */
class Stopped extends Error {
  constructor(readonly outcomes: ImportOutcome[]) {
    super('A record is a conflict.');
  }
}

/** As often as a sign-up can take a name of the batch between the read and the insertion. The retries of one record wait longer. */
const attempts = 5;

/** @param insertSecondFactors PostgreSQL keeps the first app of a user elsewhere. */
export function importQueries(db: Database, insertSecondFactors: InsertSecondFactors): ImportRepository {
  const importOnce = (batch: ImportBatch) =>
    db.transaction((transaction) => importBatch(transaction, batch, insertSecondFactors));

  /** Runs again if a name was taken in the meantime: the next attempt finds its owner. */
  async function importRetrying(batch: ImportBatch): Promise<ImportOutcome[]> {
    const { records, onConflict } = batch;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await importOnce(batch);
      } catch (error) {
        if (db.violatedKey(error) === null) throw error;
        const isLast = attempt >= attempts;
        // The batch of `fail` is imported as a whole, or not at all.
        const maySplit = onConflict !== 'fail' && records.length > 1;
        if (isLast && !maySplit && attempt >= attempts * 10) throw error;
        if (isLast && maySplit) break;
      }
      await pauseWithJitter(5 * attempt);
    }
    const half = Math.ceil(records.length / 2);
    const first = await importRetrying({ ...batch, records: records.slice(0, half) });
    return [...first, ...(await importRetrying({ ...batch, records: records.slice(half) }))];
  }

  return {
    async importUsers(batch): Promise<ImportBatchOutcome> {
      try {
        return { isWritten: true, outcomes: await importRetrying(batch) };
      } catch (error) {
        if (error instanceof Stopped) return { isWritten: false, outcomes: error.outcomes };
        throw error;
      }
    },
  };
}

async function importBatch(
  transaction: Queryable,
  batch: ImportBatch,
  insertSecondFactors: InsertSecondFactors,
): Promise<ImportOutcome[]> {
  const outcomes: ImportOutcome[] = [];
  const isWriting = !batch.dryRun;
  const parts = isWriting ? withoutCollisions(batch.records) : [batch.records];
  for (const records of parts) {
    const { known, decisions } = await decide(transaction, records, batch);
    const decided = records.map((record, at) => ({ record, decision: decisions[at] as ImportDecision }));
    const stops = batch.onConflict === 'fail' && isWriting;
    if (stops && decisions.some(({ status }) => status === 'conflict'))
      throw new Stopped([
        ...outcomes,
        ...decided.map(({ record, decision }) => outcomeOf(record, decision, undefined, new Set())),
      ]);
    const created = decided
      .filter(({ decision }) => decision.status === 'create')
      .map(({ record }) => record);
    if (isWriting) await insertNewUsers(transaction, created, insertSecondFactors);
    const members: NewMember[] = created.flatMap((record) =>
      record.memberships.map((membership) => ({ membership, userId: record.user.id })),
    );
    const added = new Map<ImportRecord, Additions>();
    for (const { record, decision } of decided) {
      if (decision.status === 'renew' && isWriting)
        await replacePassword(transaction, decision.account, decision.passwordHash, batch.now);
      if (decision.status !== 'merge') continue;
      const { account } = decision;
      const additions = additionsTo(account, record, await readOwned(transaction, account), known);
      added.set(record, additions);
      if (!addsAnything(additions)) continue;
      if (isWriting)
        await addToAccount(transaction, account, record, additions, batch.now, insertSecondFactors);
      members.push(...additions.memberships.map((membership) => ({ membership, userId: account.id })));
    }
    const renamed = await (isWriting ? storeMembers : previewRenamed)(transaction, members);
    for (const { record, decision } of decided)
      outcomes.push(outcomeOf(record, decision, added.get(record), renamed));
  }
  return outcomes;
}

/** Decides about the records, with accounts that something is added to locked: nothing that the decision depends on can change. */
async function decide(
  transaction: Queryable,
  records: readonly ImportRecord[],
  batch: ImportBatch,
): Promise<{ known: KnownAccounts; decisions: ImportDecision[] }> {
  const locked = new Set<string>();
  for (;;) {
    const known = await readKnownAccounts(transaction, records);
    const decisions = records.map((record) => decideImport(record, known, batch));
    const changed = decisions.flatMap((each) => ('account' in each ? [each.account.id] : []));
    if (batch.dryRun || changed.every((id) => locked.has(id))) return { known, decisions };
    await lockUsers(transaction, changed);
    for (const id of changed) locked.add(id);
  }
}

function outcomeOf(
  record: ImportRecord,
  decision: ImportDecision,
  additions: Additions | undefined,
  renamed: ReadonlySet<string>,
): ImportOutcome {
  if (decision.status === 'conflict' || decision.status === 'unchanged') return decision;
  if (decision.status === 'renew') return { status: 'renewed', userId: decision.account.id };
  const isRenamed = record.memberships.some(({ org }) => org.hasSlug && renamed.has(org.externalId));
  const partial: ImportObstacle[] = [
    ...(additions?.partial ?? []),
    ...(isRenamed ? [{ reason: 'slug_taken' as const, field: 'memberships' }] : []),
  ];
  const parts = partial.length > 0 ? { partial } : {};
  if (decision.status === 'create') return { status: 'created', userId: record.user.id, ...parts };
  const userId = decision.account.id;
  if (!additions || !addsAnything(additions)) return { status: 'unchanged', userId, ...parts };
  return { status: 'merged', userId, claimed: additions.claims, ...parts };
}
