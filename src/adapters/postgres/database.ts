/** Runs statements with named bindings: plain, prepared, or in a transaction. */
import type { Knex } from 'knex';
import { InternalError } from '../../errors/catalog.js';
import type { StorageWarning } from '../../storage/warning.js';
import type { TransactionState } from '../../storage/pro-repositories.js';
import type { Database as PortableDatabase, Queryable as PortableQueryable } from '../portable/database.js';
import {
  constraintOfUniqueViolation,
  isConflict,
  isLostStatement,
  isSerializationFailure,
  isStaleStatement,
  toInternalError,
  toNotSentError,
} from './database-error.js';
import { portableKey } from './postgres-dialect.js';
import { retryOn } from '../../storage/retries.js';
import { Scopes } from '../shared/scopes.js';
import type { ColumnsByConnection, RawResult } from './prepared-query.js';
import { runStatement } from './run-statement.js';
import type { Bindings, Statement, Statements } from './statements.js';

export type { Bindings } from './statements.js';

/** Runs statements. Every failure is an InternalError whose cause is the database error. */
export interface Queryable extends PortableQueryable {
  query<Row, Result>(sql: string, bindings: Bindings, map: (row: Row) => Result): Promise<Result[]>;
  find<Row, Result>(sql: string, bindings: Bindings, map: (row: Row) => Result): Promise<Result | null>;
  execute(sql: string, bindings: Bindings): Promise<number>;
}

type Work<Result> = (transaction: Queryable, knexTransaction: Knex.Transaction) => Promise<Result>;

/** Runs the statements of ../portable too. */
export interface Database extends Queryable, Omit<PortableDatabase, keyof PortableQueryable> {
  /**
   * Like `query`, but parsed and planned once per connection under this name. For constant
   * statements on hot paths.
   */
  queryPrepared<Row, Result>(
    name: string,
    sql: string,
    bindings: Bindings,
    map: (row: Row) => Result,
  ): Promise<Result[]>;
  /** Like `execute`, prepared as by `queryPrepared`. */
  executePrepared(name: string, sql: string, bindings: Bindings): Promise<number>;
  /**
   * Runs `work` in a transaction at READ COMMITTED, so that a statement sees everything that was
   * committed while an earlier one waited for a lock. If `work` throws, the transaction is rolled
   * back and the error is rethrown. If the database rolls the transaction back because of a
   * conflict (a deadlock, a serialization failure), `work` runs again, for thirty seconds at most, so
   * it must have no effect outside of the transaction.
   */
  transaction<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Runs a statement that PostgreSQL refuses in a transaction, such as `create index concurrently`.
   */
  executeAlone(sql: string): Promise<void>;
  /** Returns the quoted name of the schema of the tables. */
  schema(): Promise<string>;
}

export interface DatabaseSource {
  /**
   * Called for every statement. The first call opens an instance, later calls return the same one.
   */
  open: () => Promise<Knex>;
  /** Called for every statement, like `open`. */
  statements: () => Promise<Statements>;
  warn: StorageWarning;
}

/**
 * Poolers that share server connections lose prepared statements all the time, while a restart
 * loses them once.
 */
const lossesUntilUnnamed = 3;

/** A database whose knex instance is opened by the first statement. */
export function database({ open, statements, warn }: DatabaseSource): Database {
  // Part of every statement's name. Raised when a statement becomes invalid, so that all statements
  // are prepared again.
  let generation = 0;
  let losses = 0;
  // At READ COMMITTED a single statement cannot fail to serialize. If one does, the default
  // isolation level is another.
  let isReadCommitted = true;
  const columnsByConnection: ColumnsByConnection = new WeakMap();

  const scopes = new Scopes<Knex.Transaction>({
    begin: async () => beginReadCommitted(await open()),
    commit: commitOrFail,
    rollback: async (transaction) => {
      await transaction.rollback().catch(() => undefined);
    },
    async control(transaction, sql) {
      await runStatement(transaction, { sql, names: [] }, {});
    },
    isConflict,
  });
  const retry = <Result>(work: () => Promise<Result>, mayRetry: () => boolean = () => true) =>
    retryOn(work, isConflict, () => scopes.mayRetry && mayRetry());

  /**
   * Runs a statement outside of a transaction. After a conflict the database has rolled it back, so
   * it runs again.
   */
  async function runSingle(statement: Statement, bindings: Bindings, name?: string): Promise<RawResult> {
    const knex = await open();
    const preparation = name === undefined ? undefined : { name, columnsByConnection };
    if (scopes.isActive)
      return retry(() =>
        scopes.unit(
          () => runStatement(knex, statement, bindings, preparation),
          (transaction) => runStatement(transaction, statement, bindings, preparation),
        ),
      );
    return retryOn(async () => {
      if (!isReadCommitted)
        return inTransaction(knex, (transaction) =>
          runStatement(transaction, statement, bindings, preparation),
        );
      try {
        return await runStatement(knex, statement, bindings, preparation);
      } catch (error) {
        if (isSerializationFailure(error)) isReadCommitted = false;
        throw error;
      }
    }, isConflict);
  }

  async function prepared(name: string, text: string, bindings: Bindings): Promise<RawResult> {
    const statement = (await statements()).compile(text);
    for (let attempt = 0; attempt < 2 && losses < lossesUntilUnnamed; attempt++) {
      const current = generation;
      try {
        return await runSingle(statement, bindings, `${name}_${statement.digest}_${current}`);
      } catch (error) {
        if (!isStaleStatement(error)) throw error;
        if (generation === current) noteStale(error);
      }
    }
    return runSingle(statement, bindings);
  }

  function noteStale(error: unknown): void {
    generation += 1;
    if (!isLostStatement(error)) return;
    losses += 1;
    if (losses !== lossesUntilUnnamed) return;
    // Every new name would stay on a server connection of the pooler until that connection is
    // closed.
    warn(
      { event: 'prepared_statements_off' },
      'The connection pooler loses prepared statements, so svc-auth stops using them. Let the pooler track them (PgBouncer 1.21 or later, max_prepared_statements), or use session pooling.',
    );
  }

  async function transactionOnce<Result>(work: Work<Result>): Promise<Result> {
    const knex = await open();
    const { compile } = await statements();
    const workIn = (transaction: Knex.Transaction) =>
      work(
        queryable((text, bindings) => runStatement(transaction, compile(text), bindings)),
        transaction,
      );
    return scopes.unit(
      () => inTransaction(knex, workIn),
      (transaction) => untilEnded(transaction, workIn),
    );
  }

  return {
    ...queryable(async (text, bindings) => runSingle((await statements()).compile(text), bindings)),
    isRemote: true,
    findNow: () => undefined,
    violatedKey(error) {
      const constraint = constraintOfUniqueViolation(error);
      return constraint === null ? null : portableKey(constraint);
    },
    async queryPrepared<Row, Result>(
      name: string,
      text: string,
      bindings: Bindings,
      map: (row: Row) => Result,
    ) {
      return ((await prepared(name, text, bindings)).rows as Row[]).map(map);
    },
    async executePrepared(name, text, bindings) {
      return (await prepared(name, text, bindings)).rowCount ?? 0;
    },
    transaction: (work) => retry(() => transactionOnce(work)),
    transactionWith(within, work) {
      let isCalled = false;
      return retry(
        () =>
          transactionOnce((transaction, knexTransaction) =>
            work(transaction, async () => {
              isCalled = true;
              await scopes.callApplication(async () =>
                within(knexTransaction, () => transactionState(knexTransaction)),
              );
            }),
          ),
        () => !isCalled,
      );
    },
    async within(work) {
      // Reads the name of the schema, if that is not known, before a connection is taken.
      await statements();
      return scopes.run(work);
    },
    async executeLast(text, bindings) {
      const statement = (await statements()).compile(text);
      const { rowCount } = await scopes.last(
        () => runSingle(statement, bindings),
        (transaction) => runStatement(transaction, statement, bindings),
      );
      return rowCount ?? 0;
    },
    isInScope: () => scopes.isActive,
    async executeAlone(text) {
      await runStatement(await open(), (await statements()).compile(text), {});
    },
    schema: async () => (await statements()).schema,
  };
}

type Run = (text: string, bindings: Bindings) => Promise<RawResult>;

function queryable(run: Run): Queryable {
  return {
    async query<Row, Result>(text: string, bindings: Bindings, map: (row: Row) => Result) {
      return ((await run(text, bindings)).rows as Row[]).map(map);
    },
    async find<Row, Result>(text: string, bindings: Bindings, map: (row: Row) => Result) {
      const [row] = (await run(text, bindings)).rows as Row[];
      return row === undefined ? null : map(row);
    },
    execute: async (text, bindings) => (await run(text, bindings)).rowCount ?? 0,
  };
}

/** Runs `work` at READ COMMITTED. Rethrows its errors unchanged. */
async function inTransaction<Result>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  const results: Promise<Result>[] = [];
  const runWork = (transaction: Knex.Transaction) => untilEnded(transaction, work);
  try {
    await knex.transaction(
      (transaction) => {
        const result = runWork(transaction);
        results.push(result);
        return result;
      },
      { isolationLevel: 'read committed' },
    );
  } catch (error) {
    // Without a connection, or if `begin` fails.
    if (results.length === 0) throw toNotSentError(error);
    await results[0];
    // Statements translate their own errors, so this one comes from `commit`.
    throw toInternalError(error);
  }
  // knex resolves as soon as the application ends the transaction, and does not reject if `work`
  // rejects with undefined.
  return results[0] as Promise<Result>;
}

/** Runs `work` in a transaction that it must not end. */
async function untilEnded<Result>(
  transaction: Knex.Transaction,
  work: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  const result = await work(transaction);
  if (transaction.isCompleted()) throw new InternalError(undefined, 'The application ended the transaction.');
  return result;
}

async function beginReadCommitted(knex: Knex): Promise<Knex.Transaction> {
  try {
    return await knex.transaction(undefined, { isolationLevel: 'read committed' });
  } catch (error) {
    throw toNotSentError(error);
  }
}

async function commitOrFail(transaction: Knex.Transaction): Promise<void> {
  try {
    await transaction.commit();
    // knex reports here that the commit failed.
    await transaction.executionPromise;
  } catch (error) {
    throw toInternalError(error);
  }
}

/** Returns the state of a transaction that was passed to the application. */
async function transactionState(transaction: Knex.Transaction): Promise<TransactionState> {
  if (transaction.isCompleted()) return 'ended';
  try {
    // PostgreSQL rejects a savepoint outside of a transaction. knex does not notice a `commit` that
    // the application sent as a statement.
    await transaction.raw('savepoint svc_auth_host');
    await transaction.raw('release savepoint svc_auth_host');
    return 'open';
  } catch (error) {
    return (error as { code?: unknown }).code === '25P01' ? 'ended' : 'failed';
  }
}
