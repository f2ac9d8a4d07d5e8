/** Statements with named bindings over knex: plain, prepared, or in a transaction. Knows no table. */
import type { Knex } from 'knex';
import { InternalError } from '../../errors/catalog.js';
import type { StorageWarning } from '../../storage/adapter.js';
import type { TransactionState } from '../../storage/pro-repositories.js';
import {
  isLostStatement,
  isSerializationFailure,
  isStaleStatement,
  toInternalError,
} from './database-error.js';
import { retryUndone } from './retries.js';
import type { Statement, Statements } from './statements.js';

export type Binding = string | number | boolean | null | readonly (string | null)[];
/** Values of a statement's `:names`. A name used twice is sent twice, each with the type of its place. */
export type Bindings = Readonly<Record<string, Binding>>;

/** Runs statements. Every failure is an InternalError with the database's own as its cause. */
export interface Queryable {
  query<Row, Result>(sql: string, bindings: Bindings, map: (row: Row) => Result): Promise<Result[]>;
  /** The number of rows that the statement wrote. */
  execute(sql: string, bindings: Bindings): Promise<number>;
}

type Work<Result> = (transaction: Queryable, knexTransaction: Knex.Transaction) => Promise<Result>;

export interface Database extends Queryable {
  /** As `query`, parsed and planned once per connection under this name. For constant text on hot paths. */
  queryPrepared<Row, Result>(
    name: string,
    sql: string,
    bindings: Bindings,
    map: (row: Row) => Result,
  ): Promise<Result[]>;
  /**
   * READ COMMITTED, so that a statement sees what was committed while an earlier one waited for a lock. What `work`
   * throws undoes everything and is rethrown as it is. If the database undoes the transaction because of a conflict (a deadlock, a
   * serialization failure), `work` runs again, up to five times in all, so it must have no effect outside of the transaction.
   */
  transaction<Result>(work: Work<Result>): Promise<Result>;
  /**
   * As `transaction`, for work that calls the application: it never runs twice. The same transaction as knex has it is for the host's
   * own statements; an InternalError where the host has ended it.
   */
  transactionOnce<Result>(work: Work<Result>): Promise<Result>;
  /** Runs a statement that PostgreSQL refuses in a transaction, such as `create index concurrently`. */
  executeAlone(sql: string): Promise<void>;
  /** The quoted name of the schema that has the tables. */
  schema(): Promise<string>;
}

export interface DatabaseSource {
  /** Called for every statement: the first call opens, the others return the same instance. */
  open: () => Promise<Knex>;
  /** Called for every statement, like `open`. */
  statements: () => Promise<Statements>;
  warn: StorageWarning;
}

interface Answer {
  rows: unknown[];
  rowCount: number | null;
}

/** Poolers that share server connections lose prepared statements all the time; a restart of one loses them once. */
const lossesUntilUnnamed = 3;

/** A database whose knex instance is opened by the first statement. */
export function database({ open, statements, warn }: DatabaseSource): Database {
  // Part of every statement's name: raised where a statement went stale, which makes all of them new.
  let generation = 0;
  let losses = 0;
  // At READ COMMITTED a single statement cannot fail to serialize. One that does shows that the default isolation is another.
  let isReadCommitted = true;

  async function run(
    knex: Knex,
    sql: string,
    bindings: Bindings,
    options?: { name: string },
  ): Promise<Answer> {
    try {
      const statement = knex.raw<Answer>(sql, bindings);
      return await (options ? statement.options(options) : statement);
    } catch (error) {
      throw toInternalError(error);
    }
  }

  /** A statement outside of a transaction. The database has undone what failed with a conflict, so it runs again. */
  async function runSingle(sql: string, bindings: Bindings, options?: { name: string }): Promise<Answer> {
    const knex = await open();
    return retryUndone(async () => {
      if (!isReadCommitted)
        return inTransaction(knex, (transaction) => run(transaction, sql, bindings, options));
      try {
        return await run(knex, sql, bindings, options);
      } catch (error) {
        if (isSerializationFailure(error)) isReadCommitted = false;
        throw error;
      }
    });
  }

  async function prepared(name: string, { sql, digest }: Statement, bindings: Bindings): Promise<Answer> {
    for (let attempt = 0; attempt < 2 && losses < lossesUntilUnnamed; attempt++) {
      const current = generation;
      try {
        return await runSingle(sql, bindings, { name: `${name}_${digest}_${current}` });
      } catch (error) {
        if (!isStaleStatement(error)) throw error;
        if (generation === current) noteStale(error);
      }
    }
    return runSingle(sql, bindings);
  }

  function noteStale(error: unknown): void {
    generation += 1;
    if (!isLostStatement(error)) return;
    losses += 1;
    if (losses !== lossesUntilUnnamed) return;
    // Every new name would stay on a server connection of the pooler until that connection ends.
    warn(
      { event: 'prepared_statements_off' },
      'A connection pooler loses prepared statements: svc-auth stops using them. Let the pooler track them (PgBouncer 1.21 or later, max_prepared_statements), or use session pooling.',
    );
  }

  async function transactionOnce<Result>(work: Work<Result>): Promise<Result> {
    const knex = await open();
    const { qualify } = await statements();
    return inTransaction(knex, (transaction) =>
      work(
        {
          async query<Row, Mapped>(text: string, bindings: Bindings, map: (row: Row) => Mapped) {
            return ((await run(transaction, qualify(text).sql, bindings)).rows as Row[]).map(map);
          },
          async execute(text, bindings) {
            return (await run(transaction, qualify(text).sql, bindings)).rowCount ?? 0;
          },
        },
        transaction,
      ),
    );
  }

  return {
    async query<Row, Result>(text: string, bindings: Bindings, map: (row: Row) => Result) {
      const { sql } = (await statements()).qualify(text);
      return ((await runSingle(sql, bindings)).rows as Row[]).map(map);
    },
    async execute(text, bindings) {
      const { sql } = (await statements()).qualify(text);
      return (await runSingle(sql, bindings)).rowCount ?? 0;
    },
    async queryPrepared<Row, Result>(
      name: string,
      text: string,
      bindings: Bindings,
      map: (row: Row) => Result,
    ) {
      const statement = (await statements()).qualify(text);
      return ((await prepared(name, statement, bindings)).rows as Row[]).map(map);
    },
    transaction: (work) => retryUndone(() => transactionOnce(work)),
    transactionOnce,
    async executeAlone(text) {
      await run(await open(), (await statements()).qualify(text).sql, {});
    },
    schema: async () => (await statements()).schema,
  };
}

/** Runs `work` at READ COMMITTED. What it throws is rethrown as it is. */
async function inTransaction<Result>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  const working: Promise<Result>[] = [];
  const inOne = async (transaction: Knex.Transaction) => {
    const result = await work(transaction);
    if (transaction.isCompleted())
      throw new InternalError(undefined, 'The transaction was ended by the host.');
    return result;
  };
  try {
    await knex.transaction(
      (transaction) => {
        const result = inOne(transaction);
        working.push(result);
        return result;
      },
      { isolationLevel: 'read committed' },
    );
  } catch (error) {
    await working[0];
    // Statements translate their own failures; what is left is begin and commit.
    throw toInternalError(error);
  }
  // knex is done as soon as the host ends the transaction, and does not reject where `work` rejects with undefined.
  return working[0] as Promise<Result>;
}

/** What has become of a transaction that the host has had in its hands. */
export async function transactionState(transaction: Knex.Transaction): Promise<TransactionState> {
  if (transaction.isCompleted()) return 'ended';
  try {
    // Refused outside of a transaction, which knex does not see where the host sent a `commit` as a statement.
    await transaction.raw('savepoint svc_auth_host');
    await transaction.raw('release savepoint svc_auth_host');
    return 'open';
  } catch (error) {
    return (error as { code?: unknown }).code === '25P01' ? 'ended' : 'failed';
  }
}
