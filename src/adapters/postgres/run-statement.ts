/**
 * Sends a compiled statement over a connection of the knex pool, without `knex.raw`. That would
 * compile the statement again for every call and pass it through a builder and a runner.
 */
import { randomUUID } from 'node:crypto';
import { isDate } from 'node:util/types';
import type { Knex } from 'knex';
import { asTimestamp } from '../shared/bindings.js';
import { toInternalError, toNotSentError } from './database-error.js';
import {
  isPgConnection,
  runPrepared,
  type ColumnsByConnection,
  type PgConnection,
  type RawResult,
} from './prepared-query.js';
import type { Bindings, SentBinding, Statement } from './statements.js';

/** The query of a knex client, as its runner passes it. */
interface ClientQuery extends Connection {
  method: 'raw';
  sql: string;
  bindings: SentBinding[];
  options: { name?: string };
  /** By it, listeners of the events `query` and `query-response` pair the two. */
  __knexQueryUid: string;
}

interface Connection {
  __knexUid?: string;
  __knexTxId?: string;
}

/**
 * What `knex.raw` itself calls. It exists on every client, so that transactions, PGlite and
 * instances of the application work in the same way and their listeners see every statement.
 */
interface KnexClient {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
  query(connection: Connection, query: ClientQuery): Promise<unknown>;
  processResponse(response: unknown, runner: null): RawResult;
  emit(event: 'query', query: ClientQuery): boolean;
  emit(event: 'query-response', response: RawResult, query: ClientQuery): boolean;
  emit(event: 'query-error', error: unknown, query: ClientQuery): boolean;
}

/** How a statement is prepared. */
export interface Preparation {
  /** Prepared under this name, once per connection. */
  name: string;
  columnsByConnection: ColumnsByConnection;
}

/**
 * Runs a statement in a transaction, or on any connection of a pool.
 * @throws InternalError whose cause is the error of the database; NotSentError without a connection.
 */
export async function runStatement(
  knex: Knex,
  { sql, names }: Pick<Statement, 'sql' | 'names'>,
  bindings: Bindings,
  prepared?: Preparation,
): Promise<RawResult> {
  const client = knex.client as KnexClient;
  try {
    const values = valuesOf(names, bindings);
    const connection = await acquire(client, knex.isTransaction);
    try {
      const query: ClientQuery = {
        __knexUid: connection.__knexUid,
        __knexTxId: connection.__knexTxId,
        method: 'raw',
        sql,
        bindings: values,
        options: { name: prepared?.name },
        __knexQueryUid: randomUUID(),
      };
      const isDirect = prepared && !knex.isTransaction && isPgConnection(connection);
      const result = isDirect
        ? await runDirectly(client, connection, query, prepared)
        : client.processResponse(await client.query(connection, query), null);
      client.emit('query-response', result, query);
      return result;
    } finally {
      await client.releaseConnection(connection);
    }
  } catch (error) {
    throw toInternalError(error);
  }
}

async function acquire(client: KnexClient, isTransaction = false): Promise<Connection> {
  try {
    return await client.acquireConnection();
  } catch (error) {
    // In a transaction that has ended, earlier statements were sent.
    throw isTransaction ? error : toNotSentError(error);
  }
}

/** The query bypasses knex, so the events of knex are emitted here. */
async function runDirectly(
  client: KnexClient,
  connection: PgConnection,
  query: ClientQuery,
  { name, columnsByConnection }: Preparation,
): Promise<RawResult> {
  // A listener may change the object that it gets.
  const statement = { name, text: query.sql, values: query.bindings };
  client.emit('query', query);
  try {
    return await runPrepared(connection, statement, columnsByConnection);
  } catch (error) {
    client.emit('query-error', error, query);
    throw error;
  }
}

function valuesOf(names: readonly string[], bindings: Bindings): SentBinding[] {
  return names.map((name) => {
    const value = bindings[name];
    if (value === undefined) throw new Error(`The statement requires a value of :${name}.`);
    return isDate(value) ? asTimestamp(value) : value;
  });
}
