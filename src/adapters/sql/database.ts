/** Statements with named bindings over knex: plain, prepared, or in a transaction. Knows no table. */
import type { Knex } from 'knex';
import { InternalError } from '../../errors/catalog.js';
import type { TransactionState } from '../../storage/pro-repositories.js';
import { isStaleStatement, toInternalError } from './database-error.js';

export type Binding = string | number | boolean | null | readonly (string | null)[];
/** Values of a statement's `:names`. A name used twice is sent twice, each with the type of its place. */
export type Bindings = Readonly<Record<string, Binding>>;

/** Runs statements. Every failure is an InternalError with the database's own as its cause. */
export interface Queryable {
  query<Row, Result>(sql: string, bindings: Bindings, map: (row: Row) => Result): Promise<Result[]>;
  /** The number of rows that the statement wrote. */
  execute(sql: string, bindings: Bindings): Promise<number>;
}

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
   * throws undoes everything and is rethrown as it is. The same transaction as knex has it is for the host's own
   * statements; an InternalError where the host has ended it.
   */
  transaction<Result>(
    work: (transaction: Queryable, knexTransaction: Knex.Transaction) => Promise<Result>,
  ): Promise<Result>;
}

interface Answer {
  rows: unknown[];
  rowCount: number | null;
}

/** A database whose knex instance is opened by the first statement. */
export function database(open: () => Promise<Knex>): Database {
  // Part of every statement's name: raised where a statement went stale, which makes all of them new.
  let generation = 0;

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

  function queryable(connect: () => Promise<Knex>): Queryable {
    return {
      async query<Row, Result>(sql: string, bindings: Bindings, map: (row: Row) => Result) {
        return ((await run(await connect(), sql, bindings)).rows as Row[]).map(map);
      },
      async execute(sql, bindings) {
        return (await run(await connect(), sql, bindings)).rowCount ?? 0;
      },
    };
  }

  async function prepared(knex: Knex, name: string, sql: string, bindings: Bindings): Promise<Answer> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const current = generation;
      try {
        return await run(knex, sql, bindings, { name: `${name}_${current}` });
      } catch (error) {
        if (!isStaleStatement(error)) throw error;
        if (generation === current) generation += 1;
      }
    }
    // A pooler that hands out another server connection per statement keeps no prepared ones.
    return run(knex, sql, bindings);
  }

  return {
    ...queryable(open),
    async queryPrepared<Row, Result>(
      name: string,
      sql: string,
      bindings: Bindings,
      map: (row: Row) => Result,
    ) {
      return ((await prepared(await open(), name, sql, bindings)).rows as Row[]).map(map);
    },
    async transaction<Result>(
      work: (transaction: Queryable, knexTransaction: Knex.Transaction) => Promise<Result>,
    ) {
      const knex = await open();
      const working: Promise<Result>[] = [];
      const inOne = async (transaction: Knex.Transaction) => {
        const result = await work(
          queryable(async () => transaction),
          transaction,
        );
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
    },
  };
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
