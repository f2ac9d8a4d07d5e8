/** What differs between the databases that share the statements of this folder. */
import type { Marks, Value } from './statements.js';

export interface RunResult {
  rows: readonly unknown[];
  /** Rows that the statement wrote. */
  changes: number;
}

/** A connection of the driver. knex replaces one that has the property `__knex__disposed`. */
export interface DriverConnection {
  __knex__disposed?: unknown;
  /** Whether the pool belongs to the adapter and has no other connection. */
  isOnly?: boolean;
}

export interface Dialect<Connection extends DriverConnection = DriverConnection> {
  readonly name: string;
  /** Whether a statement waits for a server. */
  readonly isRemote: boolean;
  /**
   * - `{lock}`: at the end of a select, locks its rows until the end of the transaction, also for foreign keys that refer to them.
   * - `{lock rows}`: like `{lock}`, but may let foreign keys refer to the rows.
   * - `{share}`: like `{lock}`, but may let other transactions share the lock.
   * - `{skip}`: like `{lock}`, without the rows that another transaction has locked.
   * - `{limit 1000}`: `limit 1000` of rows that are read in the order of an index, whatever the server believes about their number.
   * - `{ms column}`: a time as milliseconds since the epoch.
   * - `{now}`: the clock of the database, like `{ms}`.
   * - `{asJson column}`: a column of JSON as text.
   * - `{asList column}`: a column of strings as a JSON array; `{toList :name}` writes it.
   * - `{past time, id, <}`: the rows after `:afterTime` and `:afterId` in the order of an index, ascending with `>`.
   * - `{begins column}`: the strings that begin with `:prefix`, of `:prefixLength` characters, or match `:pattern`, and are after `:after`, in the order
   *   of `{bytewise column}`.
   * - `{contains column}`: the strings that contain `:contained`, or match `:containedPattern`.
   * - `{hasRole}`: `u.roles` contains `:role`, or its JSON `:roleJson`.
   * - `{hasNoApp}`: a row of `svc_totp` whose user has not confirmed an authenticator app.
   * - `{merge key, key2; column, column2}`: at the end of an insertion, writes these columns of a row whose key exists.
   * - `{sum table; key, key2; column}`: at the end of an insertion, adds this column to that of a row whose key exists.
   * - `{insert new}` instead of `insert`, with `{keep}` at the end: leaves rows whose key exists as they are, and does not count them.
   * - `{id}`, `{text 320}`, `{long}`, `{time}`, `{json}`, `{boolean}`, `{bigint}`, `{ascii 64}`, `{options}`: for
   *   `create table`.
   */
  readonly marks: Marks;
  /** Converts a Date to what is bound for it. @throws RangeError if it is invalid. */
  toTime(time: Date): Value;
  run(connection: Connection, sql: string, values: readonly Value[]): Promise<RunResult>;
  /** Like `run`, for a select of which only the first row is read. */
  find(connection: Connection, sql: string, values: readonly Value[]): Promise<RunResult>;
  /**
   * Like `find`, without a promise: returns the values of the first row, or null without one. Undefined if the connection
   * is closed. Absent: every statement waits for a server.
   */
  findNow?(
    connection: Connection,
    sql: string,
    values: readonly Value[],
  ): readonly unknown[] | null | undefined;
  /** Starts a transaction that sees what was committed before each of its statements, or excludes other writers. */
  begin(connection: Connection): Promise<void>;
  commit(connection: Connection): Promise<void>;
  rollback(connection: Connection): Promise<void>;
  /** Runs a statement about savepoints. */
  control(connection: Connection, sql: string): Promise<void>;
  /** Options of `knex.transaction`. */
  readonly transactionOptions: { isolationLevel?: 'read committed' };
  /** Takes the lock of `begin` in a transaction that knex has started. Absent: not needed. */
  lock?(connection: Connection): Promise<void>;
  /** Whether the connection is in a transaction. */
  isInTransaction(connection: Connection): Promise<boolean>;
  /** Whether the error is a conflict with another transaction, after which the transaction can run again. */
  isConflict(error: unknown): boolean;
  /** Returns what names the unique key that was violated, or null for any other error. */
  violatedKey(error: unknown): string | null;
  /** Whether the error says that a table, a column or an index exists already. */
  isExistingObject(error: unknown): boolean;
  /** Returns an error without the values of the statement: addresses, digests and hashes. */
  withoutValues(error: unknown): unknown;
  /** Throws a ConfigError if the database cannot be used. */
  check(run: (sql: string) => Promise<readonly unknown[]>): Promise<void>;
  /**
   * Statements that take and release a lock on the schema for a connection, outside of transactions. `take` returns 1 as `taken`, unless it has
   * waited for too long.
   */
  readonly schemaLock: { take: string; release: string } | null;
  /** A select of the `index_name` of every index. */
  readonly listIndexes: string;
  /** A select of `max_connections`, for all clients of the server. Null without a server. */
  readonly maxServerConnections: string | null;
}

/** The marks for rows that may exist which mean the same in SQLite and PostgreSQL. Undefined for any other. */
export function keepMark(name: string, argument: string): string | undefined {
  if (name === 'sum') {
    const [table = '', keys = '', column = ''] = argument.split('; ');
    return `on conflict (${keys}) do update set ${column} = ${table}.${column} + excluded.${column}`;
  }
  if (name === 'insert') return 'insert';
  return name === 'keep' ? 'on conflict do nothing' : undefined;
}

/** The marks that mean the same in SQLite, MariaDB and MySQL. Undefined for any other. */
export function commonMark(name: string, argument: string): string | undefined {
  if (name === 'past') {
    const [time = '', id = '', past = ''] = argument.split(', ');
    // The first condition is the one that an index is searched by.
    return `${time} ${past}= :afterTime and (${time} ${past} :afterTime or ${id} ${past} :afterId)`;
  }
  if (name === 'begins')
    return `${argument} >= :prefix and ${argument} > :after and substr(${argument}, 1, :prefixLength) = :prefix`;
  if (name === 'contains') return `instr(${argument}, :contained) > 0`;
  if (name === 'limit') return `limit ${argument}`;
  if (name === 'hasRole') return 'instr(u.roles, :roleJson) > 0';
  if (name === 'hasNoApp') return 'user_id not in (select a.user_id from svc_totp_apps a)';
  return ['asJson', 'asList', 'toList', 'bytewise'].includes(name) ? argument : undefined;
}
