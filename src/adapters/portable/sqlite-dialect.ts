/**
 * SQLite through better-sqlite3 or libsql, which have the same synchronous interface. A transaction
 * excludes every other writer, so that no row needs a lock.
 */
import { ConfigError } from '../../errors/catalog.js';
import { commonMark, keepMark, type Dialect, type DriverConnection } from './dialect.js';
import type { Marks, Value } from './statements.js';

interface PreparedStatement {
  /** Whether the statement returns rows. */
  reader: boolean;
  all(values: readonly Value[]): unknown[];
  /** Returns the first row. */
  get(values: readonly Value[]): unknown;
  /** Returns the statement, whose rows are arrays from then on. */
  raw(): PreparedStatement;
  columns(): { name: string }[];
  run(values: readonly Value[]): { changes: number };
}

interface SqliteConnection extends DriverConnection {
  prepare(sql: string): PreparedStatement;
  exec(sql: string): unknown;
  inTransaction: boolean;
  open: boolean;
}

const types: Record<string, string> = {
  id: 'text',
  text: 'text',
  ascii: 'text',
  long: 'text',
  json: 'text',
  time: 'integer',
  boolean: 'integer',
  bigint: 'integer',
};

const marks: Marks = (name, argument) => {
  if (name === 'ms') return argument;
  if (name === 'now') return `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
  if (name === 'merge') {
    const [keys, columns = ''] = argument.split('; ');
    const assignments = columns.split(', ').map((column) => `${column} = excluded.${column}`);
    return `on conflict (${keys}) do update set ${assignments.join(', ')}`;
  }
  return keepMark(name, argument) ?? commonMark(name, argument) ?? types[name] ?? '';
};

/** Preparing a statement costs more than running it. */
const maxPrepared = 500;

/** Returns a function that prepares each statement once per connection. `complete` adds what else is computed once. */
function preparer<Prepared>(complete: (statement: PreparedStatement) => Prepared) {
  const prepared = new WeakMap<SqliteConnection, Map<string, Prepared>>();
  return (connection: SqliteConnection, sql: string): Prepared => {
    const statements = prepared.get(connection) ?? new Map<string, Prepared>();
    prepared.set(connection, statements);
    const cached = statements.get(sql);
    if (cached) return cached;
    const statement = complete(connection.prepare(sql));
    if (statements.size >= maxPrepared) statements.clear();
    statements.set(sql, statement);
    return statement;
  };
}

const withNumbers = (values: readonly Value[]) =>
  values.map((value) => (typeof value === 'boolean' ? Number(value) : value));

export function sqliteDialect(): Dialect<SqliteConnection> {
  const prepare = preparer((statement) => ({ statement, isReader: statement.reader }));
  // An array of values costs the drivers half as much as an object, which is completed here.
  const prepareFind = preparer((statement) => ({
    statement: statement.raw(),
    names: statement.columns().map(({ name }) => name),
  }));

  async function run(connection: SqliteConnection, sql: string, values: readonly Value[]) {
    const { statement, isReader } = prepare(connection, sql);
    if (isReader) return { rows: statement.all(withNumbers(values)), changes: 0 };
    return { rows: [], changes: statement.run(withNumbers(values)).changes };
  }

  async function find(connection: SqliteConnection, sql: string, values: readonly Value[]) {
    const { statement, names } = prepareFind(connection, sql);
    const found = statement.get(withNumbers(values)) as unknown[] | undefined;
    if (!found) return { rows: [], changes: 0 };
    const row: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) row[name] = found[index];
    return { rows: [row], changes: 0 };
  }

  function findNow(connection: SqliteConnection, sql: string, values: readonly Value[]) {
    if (!connection.open) return undefined;
    return (prepareFind(connection, sql).statement.get(values) as unknown[] | undefined) ?? null;
  }

  // Not prepared: libsql does not reset a statement that failed because of another writer, and SQLite
  // refuses to commit a transaction with a statement in progress.
  const execute = (sql: string) => async (connection: SqliteConnection) => void connection.exec(sql);

  return {
    name: 'SQLite',
    isRemote: false,
    marks,
    toTime(time) {
      const ms = time.getTime();
      if (Number.isNaN(ms)) throw new RangeError('Invalid time value');
      return ms;
    },
    run,
    find,
    findNow,
    begin: execute('begin immediate'),
    commit: execute('commit'),
    async rollback(connection) {
      if (connection.inTransaction) connection.exec('rollback');
    },
    control: async (connection, sql) => void connection.exec(sql),
    transactionOptions: {},
    // `begin` of knex takes no lock. A statement that could write takes it, also if it writes no row.
    lock: execute('update svc_migrations set name = name where id is null'),
    isInTransaction: async (connection) => connection.inTransaction,
    isConflict: (error) => /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error)),
    violatedKey(error) {
      if (!/^SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY)$/.test(codeOf(error))) return null;
      // "UNIQUE constraint failed: svc_identities.provider, svc_identities.provider_account_id"
      const columns = [...(error as Error).message.matchAll(/(svc_\w+)\.(\w+)/g)];
      return [columns[0]?.[1] ?? '', ...columns.map(([, , column]) => column)].join('_');
    },
    isExistingObject: () => false,
    // Its messages name tables and columns only.
    withoutValues: (error) => error,
    async check(query) {
      const [row] = (await query('pragma foreign_keys')) as { foreign_keys?: number }[];
      if (row?.foreign_keys === 1) return;
      const message =
        'requires connections with foreign keys: run "pragma foreign_keys = on" in pool.afterCreate.';
      throw new ConfigError([{ path: 'adapter', message }]);
    },
    schemaLock: null,
    listIndexes: `select name as index_name from sqlite_master where type = 'index'`,
    maxServerConnections: null,
  };
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
