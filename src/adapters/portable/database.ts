/** Runs statements with named bindings over the pool of a knex instance: single, or in a transaction. */
import { isDate } from 'node:util/types';
import type { Knex } from 'knex';
import { InternalError } from '../../errors/catalog.js';
import type { DeletesWithin, TransactionState } from '../../storage/pro-repositories.js';
import { retryOn } from '../../storage/retries.js';
import { databaseFault, notSentFault } from '../shared/database-fault.js';
import { Scopes } from '../shared/scopes.js';
import type { Dialect, DriverConnection, RunResult } from './dialect.js';
import { bind, compiler, type Bindings, type Value } from './statements.js';
import type { Row } from './tables.js';

/** Runs statements. Every failure is an InternalError whose cause is the error of the database. */
export interface Queryable {
  query<Result>(sql: string, bindings: Bindings, map: (row: Row) => Result): Promise<Result[]>;
  /** Like `query`, for at most one row. */
  find<Result>(sql: string, bindings: Bindings, map: (row: Row) => Result): Promise<Result | null>;
  /** Returns the number of rows that the statement wrote. */
  execute(sql: string, bindings: Bindings): Promise<number>;
}

type Work<Result> = (transaction: Queryable) => Promise<Result>;

export interface Database extends Queryable {
  /**
   * Runs `work` in a transaction. Each of its statements sees what was committed before. If `work`
   * throws, the transaction is rolled back and the error is rethrown. If the database rolls it back
   * because of a conflict, `work` runs again, so it must have no effect outside of the transaction.
   */
  transaction<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Like `transaction`, for work that calls the application by its second parameter. From then on it
   * does not run again.
   */
  transactionWith<Result>(
    within: DeletesWithin,
    work: (transaction: Queryable, callWithin: () => Promise<void>) => Promise<Result>,
  ): Promise<Result>;
  /** Runs the methods that `work` calls in one transaction (../shared/scopes.ts). */
  within<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Executes the last statement of a scope. If it fails, nothing of the scope remains. */
  executeLast(sql: string, bindings: Bindings): Promise<number>;
  /** Whether the caller is in a scope, and must not wait for the statements of others. */
  readonly isInScope: () => boolean;
  /** Whether a statement waits for a server. */
  readonly isRemote: boolean;
  /**
   * Like `find`, at once: returns the values of the row, or null without one. Undefined if that is not possible; `find` then
   * waits, tries again, or reports the error.
   */
  findNow(sql: string, values: readonly Value[]): readonly unknown[] | null | undefined;
  /** Returns the unique key that a failed statement has violated, or null for any other error. */
  violatedKey(error: unknown): string | null;
}

/** A database whose schema this folder creates. */
export interface PortableDatabase extends Database {
  /** Runs `work` on one connection while no other process changes the schema. */
  exclusively(work: Work<void>): Promise<void>;
  /** Whether the error says that a table, a column or an index exists already. */
  isExistingObject(error: unknown): boolean;
}

type Send = (method: 'run' | 'find', text: string, bindings: Bindings) => Promise<RunResult>;

/** The transaction of a scope. One that is passed to the application was begun by knex. */
interface ScopeTransaction {
  connection: DriverConnection;
  knexTransaction: Knex.Transaction | undefined;
}

interface KnexClient {
  acquireConnection(): Promise<DriverConnection>;
  releaseConnection(connection: DriverConnection): Promise<void>;
}

/**
 * Returns the database.
 * @param open Called for every statement. The first call opens an instance, later calls return it.
 */
export function database(open: () => Promise<Knex>, dialect: Dialect): PortableDatabase {
  const compile = compiler(dialect.marks);

  const internal = <Result>(work: () => Promise<Result>): Promise<Result> =>
    work().catch((error: unknown) => {
      throw error instanceof InternalError ? error : databaseFault(dialect.withoutValues(error));
    });

  /** Sends statements over a connection. */
  const sendOver =
    (connection: DriverConnection): Send =>
    async (method, text, bindings) => {
      const { sql, values } = bind(compile(text), bindings);
      const bound = values.map((value) => (isDate(value) ? dialect.toTime(value) : value));
      return internal(() => dialect[method](connection, sql, bound));
    };

  // The only connection of the process, and how many callers use it or wait for it. While there are none, it is in no
  // transaction, so that `findNow` reads what is committed.
  let only: DriverConnection | undefined;
  let users = 0;

  async function acquire(): Promise<DriverConnection> {
    const client = (await open()).client as KnexClient;
    users += 1;
    try {
      const connection = await client.acquireConnection();
      if (connection.isOnly) only = connection;
      return connection;
    } catch (error) {
      users -= 1;
      throw notSentFault(dialect.withoutValues(error));
    }
  }

  async function release(connection: DriverConnection): Promise<void> {
    try {
      await ((await open()).client as KnexClient).releaseConnection(connection);
    } finally {
      users -= 1;
    }
  }

  async function withConnection<Result>(work: (connection: DriverConnection) => Promise<Result>) {
    const connection = await acquire();
    try {
      return await work(connection);
    } finally {
      await release(connection);
    }
  }

  function findNow(text: string, values: readonly Value[]) {
    if (users > 0 || !only || only.__knex__disposed) return undefined;
    try {
      return dialect.findNow?.(only, compile(text).sql, values);
    } catch {
      return undefined;
    }
  }

  const isConflict = (error: unknown) => dialect.isConflict(causeOf(error));

  const retry = <Result>(work: () => Promise<Result>, mayRetry?: () => boolean) =>
    retryOn(work, isConflict, () => scopes.mayRetry && (mayRetry?.() ?? true));

  /** Ends what is left of a transaction. No one may use a connection whose transaction is still open. */
  const rollBack = (connection: DriverConnection) =>
    dialect.rollback(connection).catch((cause: unknown) => {
      connection.__knex__disposed = cause;
    });

  const scopes: Scopes<ScopeTransaction> = new Scopes<ScopeTransaction>({
    async begin(isForApplication) {
      const connection = await acquire();
      try {
        if (!isForApplication) {
          await internal(() => dialect.begin(connection));
          return { connection, knexTransaction: undefined };
        }
        const options = { ...dialect.transactionOptions, connection };
        const knexTransaction = await internal(async () => (await open()).transaction(undefined, options));
        await internal(async () => dialect.lock?.(connection));
        return { connection, knexTransaction };
      } catch (error) {
        await rollBack(connection);
        await release(connection);
        throw error;
      }
    },
    async commit({ connection, knexTransaction }) {
      await internal(async () => {
        if (!knexTransaction) return dialect.commit(connection);
        await knexTransaction.commit();
        // knex reports here that the commit failed.
        await knexTransaction.executionPromise;
      });
      await release(connection);
    },
    async rollback({ connection, knexTransaction }) {
      await knexTransaction?.rollback().catch(() => undefined);
      await rollBack(connection);
      await release(connection);
    },
    control: ({ connection }, sql) => internal(() => dialect.control(connection, sql)),
    isConflict,
  });

  const inTransaction = <Result>(work: Work<Result>) =>
    withConnection(async (connection) => {
      await internal(() => dialect.begin(connection));
      try {
        const result = await work(queryable(sendOver(connection)));
        await internal(() => dialect.commit(connection));
        return result;
      } catch (error) {
        await rollBack(connection);
        throw error;
      }
    });

  const inScope =
    <Result>(work: Work<Result>) =>
    ({ connection }: ScopeTransaction) =>
      work(queryable(sendOver(connection)));

  async function inKnexTransaction<Result>(
    within: DeletesWithin,
    work: (transaction: Queryable, callWithin: () => Promise<void>) => Promise<Result>,
  ): Promise<Result> {
    let isCalled = false;
    const attempt = async (knexTransaction: Knex.Transaction, connection: DriverConnection) => {
      await retry(() => internal(async () => dialect.lock?.(connection)));
      return attemptIn(knexTransaction, connection);
    };
    const attemptIn = async (knexTransaction: Knex.Transaction, connection: DriverConnection) => {
      const stateOf = async (): Promise<TransactionState> =>
        !knexTransaction.isCompleted() && (await dialect.isInTransaction(connection)) ? 'open' : 'ended';
      const callWithin = async () => {
        isCalled = true;
        await scopes.callApplication(async () => within(knexTransaction, stateOf));
        // What follows would be committed without the application's own changes.
        if ((await stateOf()) === 'ended')
          throw new InternalError(undefined, 'The application ended the transaction.');
      };
      return work(queryable(sendOver(connection)), callWithin);
    };
    const once = async (connection: DriverConnection) => {
      const knex = await open();
      const results: Promise<Result>[] = [];
      const onConnection = { ...dialect.transactionOptions, connection };
      try {
        await knex.transaction((knexTransaction) => {
          const result = attempt(knexTransaction, connection);
          results.push(result);
          return result;
        }, onConnection);
      } catch (error) {
        // knex leaves the transaction open if it cannot be committed.
        await rollBack(connection);
        await results[0];
        // Statements translate their own errors, so this one comes from `begin` or `commit`.
        throw databaseFault(dialect.withoutValues(error));
      }
      // knex does not reject if `work` rejects with undefined.
      return results[0] as Promise<Result>;
    };
    return retry(
      () =>
        scopes.unit(
          () => withConnection(once),
          ({ connection, knexTransaction }) => attemptIn(knexTransaction as Knex.Transaction, connection),
          true,
        ),
      () => !isCalled,
    );
  }

  async function underSchemaLock(work: Work<void>): Promise<void> {
    const { schemaLock } = dialect;
    if (!schemaLock) return retry(() => inTransaction(work));
    await withConnection(async (connection) => {
      const send = sendOver(connection);
      const [lock] = (await send('run', schemaLock.take, {})).rows as Row[];
      if (Number(lock?.['taken']) !== 1)
        throw new InternalError(undefined, 'Another process has been changing the schema for ten minutes.');
      try {
        await work(queryable(send));
      } finally {
        await send('run', schemaLock.release, {});
      }
    });
  }

  const sendAlone: Send = (method, text, bindings) =>
    withConnection((connection) => sendOver(connection)(method, text, bindings));
  const sendInScope =
    (...statement: Parameters<Send>) =>
    ({ connection }: ScopeTransaction) =>
      sendOver(connection)(...statement);

  return {
    ...queryable((...statement) =>
      retry(() => scopes.unit(() => sendAlone(...statement), sendInScope(...statement))),
    ),
    transaction: (work) => retry(() => scopes.unit(() => inTransaction(work), inScope(work))),
    within: (work) => scopes.run(work),
    async executeLast(text, bindings) {
      const alone = () => retry(() => sendAlone('run', text, bindings));
      return (await scopes.last(alone, sendInScope('run', text, bindings))).changes;
    },
    isInScope: () => scopes.isActive,
    transactionWith: inKnexTransaction,
    exclusively: underSchemaLock,
    isRemote: dialect.isRemote,
    findNow,
    violatedKey: (error) => dialect.violatedKey(causeOf(error)),
    isExistingObject: (error) => dialect.isExistingObject(causeOf(error)),
  };
}

function queryable(send: Send): Queryable {
  return {
    query: async (text, bindings, map) => ((await send('run', text, bindings)).rows as Row[]).map(map),
    async find(text, bindings, map) {
      const [row] = (await send('find', text, bindings)).rows as Row[];
      return row ? map(row) : null;
    },
    execute: async (text, bindings) => (await send('run', text, bindings)).changes,
  };
}

function causeOf(error: unknown): unknown {
  return error instanceof InternalError ? error.cause : error;
}
