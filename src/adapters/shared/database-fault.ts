/** Says to developers why a database cannot be used. Visitors get the constant message of `internal_error`. */
import { InternalError } from '../../errors/catalog.js';
import { networkFault } from '../../errors/network-fault.js';
import { NotSentError } from '../../storage/not-sent.js';

/** What a driver reports: the SQLSTATE of PostgreSQL, the code of SQLite, the number of MariaDB and MySQL. */
interface DriverError {
  name?: unknown;
  message?: unknown;
  code?: unknown;
  errno?: unknown;
}

const unreachable = 'The database could not be reached';
const refused = 'The database refused the user or the password';
const noDatabase = 'The database of the connection does not exist: create it';
const noTable =
  'A table does not exist: call `await service.init()` before anything else, which creates the tables';
const notAllowed = 'The user of the connection lacks a permission in the database';
const noFile = 'The database file could not be opened';
const busy =
  'No connection to the database became available in time: it does not respond, or the pool is too small';

const sentences: Readonly<Record<string, string>> = {
  // PostgreSQL
  '28P01': refused,
  '28000': refused,
  '3D000': noDatabase,
  '42P01': noTable,
  '42501': notAllowed,
  '53300': 'The database accepts no more connections',
  '57P03': 'The database is starting up or shutting down',
  // MariaDB and MySQL
  1044: notAllowed,
  1045: refused,
  1046: 'The connection names no database',
  1049: noDatabase,
  1142: notAllowed,
  1146: noTable,
  1698: refused,
  // SQLite
  SQLITE_CANTOPEN: noFile,
  SQLITE_NOTADB: 'The database file is not an SQLite database',
  SQLITE_READONLY: 'The database file cannot be written',
};

/** Drivers report these without a code. */
const messages: readonly (readonly [RegExp, string])[] = [
  [/^no such table: /, noTable],
  [/client password must be a string/, `${refused}: the connection has no password`],
  [/does not support SSL|Connection terminated|timeout expired/, unreachable],
  [/Unable to open connection to local database/, noFile],
];

/** Returns the error of a failed statement. @param cause without values of the statement. */
export function databaseFault(cause: unknown): InternalError {
  return new InternalError(cause, `${sentenceOf(cause)}.`);
}

/**
 * Returns the error of a failure before the first statement: one that may be repeated if the pool was exhausted, and not if the database
 * is down, for which no request should wait. @param cause without values.
 */
export function notSentFault(cause: unknown): InternalError {
  const isExhausted = (Object(cause) as DriverError).name === 'KnexTimeoutError';
  return isExhausted ? new NotSentError(cause, `${sentenceOf(cause)}.`) : databaseFault(cause);
}

/** Ends without a period. */
function sentenceOf(cause: unknown): string {
  const { name, message, code, errno } = Object(cause) as DriverError;
  const text = typeof message === 'string' ? message : '';
  if (name === 'KnexTimeoutError') return busy;
  const byCode = sentences[String(code)] ?? sentences[String(errno)];
  const [, byMessage] = messages.find(([pattern]) => pattern.test(text)) ?? [];
  const sentence = byCode ?? byMessage;
  // Which table is missing is in `cause`: names of tables are internal.
  if (sentence !== undefined) return sentence === noTable ? noTable : `${sentence}: ${text}`;
  const reason = networkFault(cause);
  if (reason !== undefined) return `${unreachable}: ${reason}`;
  // Not its text, which may repeat values.
  return 'The database reported an error; `cause` has it';
}
