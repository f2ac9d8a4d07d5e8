/**
 * MariaDB and MySQL through mysql2, at READ COMMITTED with row locks in the order of locks.ts. Only
 * what both document is used.
 */
import { ConfigError } from '../../errors/catalog.js';
import { commonMark, type Dialect, type DriverConnection, type RunResult } from './dialect.js';
import type { Marks, Value } from './statements.js';

interface MysqlConnection extends DriverConnection {
  isReadCommitted?: boolean;
  execute(options: object, done: Done): void;
  query(options: object, done: Done): void;
}

type Done = (error: Error | null, result?: unknown) => void;

/**
 * A key that compares and sorts bytes, and does not ignore spaces at the end. MariaDB and MySQL have
 * such a collation under different names.
 */
const collations = { MariaDB: 'utf8mb4_nopad_bin', MySQL: 'utf8mb4_0900_bin' };

const types: Record<string, string> = {
  id: 'varchar(36)',
  long: 'longtext',
  json: 'longtext',
  time: 'datetime(3)',
  boolean: 'boolean',
  bigint: 'bigint',
};

const microseconds = (time: string) => `timestampdiff(microsecond, '1970-01-01', ${time}) div 1000`;

const sqlOf: Marks = (name, argument) => {
  if (name === 'lock' || name === 'share') return 'for update';
  if (name === 'skip') return 'for update skip locked';
  if (name === 'ms') return microseconds(argument);
  if (name === 'now') return microseconds('utc_timestamp(3)');
  if (name === 'merge') {
    const [, columns = ''] = argument.split('; ');
    const assignments = columns.split(', ').map((column) => `${column} = values(${column})`);
    return `on duplicate key update ${assignments.join(', ')}`;
  }
  if (name === 'sum') {
    const [, , column = ''] = argument.split('; ');
    return `on duplicate key update ${column} = ${column} + values(${column})`;
  }
  // Not an assignment of what is there: the driver would count the row.
  if (name === 'insert') return 'insert ignore';
  if (name === 'text') return `varchar(${argument})`;
  if (name === 'ascii') return `varchar(${argument}) character set ascii collate ascii_bin`;
  return commonMark(name, argument) ?? types[name] ?? '';
};

/** At most 64 characters. MySQL 9.6 has no `sha1` any more. */
const schemaLockName = `concat('svc_auth ', left(sha2(database(), 256), 40))`;

/** A lock wait that took too long, and a deadlock. */
const conflicts = [1205, 1213];
const existingObjectErrors = [1050, 1060, 1061];

// Settings of the connection that would change what is returned. Each statement has its own.
const resultOptions = {
  typeCast: true,
  rowsAsArray: false,
  nestTables: false,
  supportBigNumbers: false,
  bigNumberStrings: false,
  namedPlaceholders: false,
};

export function mysqlDialect(): Dialect<MysqlConnection> {
  let collation = '';
  const send = (
    connection: MysqlConnection,
    method: 'execute' | 'query',
    sql: string,
    values: readonly Value[],
  ) =>
    new Promise<RunResult>((resolve, reject) => {
      connection[method]({ sql, values, ...resultOptions }, (error, result) => {
        if (error) return reject(error);
        if (Array.isArray(result)) return resolve({ rows: result, changes: 0 });
        resolve({ rows: [], changes: (result as { affectedRows: number }).affectedRows });
      });
    });

  const prepared = (connection: MysqlConnection, sql: string, values: readonly Value[]) =>
    send(connection, 'execute', sql, values);

  // Not every database server can prepare these statements.
  const execute = (sql: string) => async (connection: MysqlConnection) =>
    void (await send(connection, 'query', sql, []));

  return {
    name: 'MariaDB and MySQL',
    isRemote: true,
    marks: (name, argument) =>
      name === 'options'
        ? `engine = InnoDB default character set utf8mb4 collate ${collation}`
        : sqlOf(name, argument),
    // DATETIME has no time zone, so that the session's time zone does not matter.
    toTime: (time) => time.toISOString().replace('T', ' ').replace('Z', ''),
    run: prepared,
    find: prepared,
    async begin(connection) {
      // For the next transaction only: the connection may be the application's.
      if (!connection.isReadCommitted)
        await send(connection, 'query', 'set transaction isolation level read committed', []);
      await send(connection, 'query', 'start transaction', []);
    },
    commit: execute('commit'),
    rollback: execute('rollback'),
    control: async (connection, sql) => void (await send(connection, 'query', sql, [])),
    transactionOptions: { isolationLevel: 'read committed' },
    async isInTransaction(connection) {
      try {
        await send(connection, 'query', 'savepoint svc_auth_host', []);
        await send(connection, 'query', 'release savepoint svc_auth_host', []);
        return true;
      } catch (error) {
        // Outside of a transaction a savepoint ends with its statement.
        if (numberOf(error) === 1305) return false;
        throw error;
      }
    },
    isConflict: (error) => conflicts.includes(numberOf(error)),
    violatedKey,
    isExistingObject: (error) => existingObjectErrors.includes(numberOf(error)),
    withoutValues(error) {
      if (numberOf(error) === 0) return error;
      const { code, errno } = error as { code: string; errno: number };
      const key = violatedKey(error);
      const message = `${code} (${errno})${key === null ? '' : ` for key '${key}'`}`;
      return Object.assign(new Error(message), { code, errno });
    },
    async check(query) {
      collation = collationOf(await checkServer(query));
    },
    listIndexes: `select distinct index_name as index_name from information_schema.statistics where table_schema = database()`,
    maxServerConnections: 'select @@max_connections as max_connections',
    schemaLock: {
      take: `select get_lock(${schemaLockName}, 600) as taken`,
      release: `select release_lock(${schemaLockName}) as released`,
    },
  };
}

interface Settings {
  version: string;
  sql_mode: string;
  charset: string;
}

const collationOf = (version: string) => collations[version.includes('MariaDB') ? 'MariaDB' : 'MySQL'];

/** Returns the version of the server. @throws ConfigError that lists all faults. */
async function checkServer(query: (sql: string) => Promise<readonly unknown[]>): Promise<string> {
  const [row] = (await query(
    'select version() as version, @@session.sql_mode as sql_mode, @@session.character_set_client as charset',
  )) as Settings[];
  const messages = row ? faultsOf(row) : [];
  if (messages.length > 0) throw new ConfigError(messages.map((message) => ({ path: 'adapter', message })));
  return row?.version ?? '';
}

function faultsOf({ version, sql_mode, charset }: Settings): string[] {
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  const isMariaDb = version.includes('MariaDB');
  const isOld = isMariaDb ? major < 10 || (major === 10 && minor < 6) : major < 8;
  return [
    isOld ? [`requires MariaDB 10.6 or later, or MySQL 8 or later; the server is version ${version}.`] : [],
    /STRICT_(?:TRANS|ALL)_TABLES/.test(sql_mode)
      ? []
      : ['requires a strict sql_mode, so that no value is cut off: add STRICT_TRANS_TABLES.'],
    charset === 'utf8mb4' ? [] : [`requires connections with the character set utf8mb4, not ${charset}.`],
  ].flat();
}

function violatedKey(error: unknown): string | null {
  if (numberOf(error) !== 1062) return null;
  // "Duplicate entry '…' for key 'svc_users.svc_users_email'": MariaDB leaves the table out.
  const [, key = ''] = /for key '(?:\w+\.)?(\w+)'$/.exec((error as Error).message) ?? [];
  return key;
}

function numberOf(error: unknown): number {
  const { errno, code } = (error ?? {}) as { errno?: unknown; code?: unknown };
  // Errors of the network have a negative number.
  return typeof errno === 'number' && errno > 0 && typeof code === 'string' ? errno : 0;
}
