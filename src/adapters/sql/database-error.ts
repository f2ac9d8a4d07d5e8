/** The one place where a failure of the database becomes an error of this library. */
import { types } from 'node:util';
import { InternalError } from '../../errors/catalog.js';

interface DriverError extends Error {
  code?: unknown;
  table?: unknown;
  detail?: unknown;
  where?: unknown;
  sql?: unknown;
  bindings?: unknown;
}

export function toInternalError(error: unknown): InternalError {
  return new InternalError(types.isNativeError(error) ? withoutValues(error) : error);
}

/**
 * The cause goes to a logger. knex writes the statement with its values (addresses, digests, hashes) in front of
 * the message, PostgreSQL repeats them in `detail`: what is left is the message proper and the SQLSTATE.
 */
function withoutValues(error: DriverError): Error {
  const isFromServer = typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code);
  const end = error.message.lastIndexOf(' - ');
  if (end !== -1) error.message = error.message.slice(end + 3);
  if (isFromServer) {
    delete error.detail;
    delete error.where;
  }
  delete error.sql;
  delete error.bindings;
  return error;
}

/** True for a broken unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** The table whose unique constraint was broken, null for any other failure. */
export function tableOfUniqueViolation(error: unknown): string | null {
  const { table } = causeOf(error);
  return isUniqueViolation(error) && typeof table === 'string' ? table : null;
}

/**
 * True where a prepared statement no longer fits: the schema changed under it (0A000), or a connection pooler or
 * `DISCARD ALL` lost it or knows another of that name (26000, 42P05).
 */
export function isStaleStatement(error: unknown): boolean {
  return ['0A000', '26000', '42P05'].includes(sqlState(error));
}

/** True if the connection does not know the prepared statement, or knows another of its name: a pooler gave it to someone else. */
export function isLostStatement(error: unknown): boolean {
  return ['26000', '42P05'].includes(sqlState(error));
}

/** True if transactions ran at an isolation level at which the database could not order them. */
export function isSerializationFailure(error: unknown): boolean {
  return sqlState(error) === '40001';
}

/** True if the database undid the whole transaction because of a conflict with another one, so that it can run again. */
export function isUndone(error: unknown): boolean {
  return isSerializationFailure(error) || sqlState(error) === '40P01';
}

/** True if a lock could not be taken within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

function sqlState(error: unknown): string {
  const { code } = causeOf(error);
  return typeof code === 'string' ? code : '';
}

function causeOf(error: unknown): Partial<DriverError> {
  const cause = error instanceof InternalError ? error.cause : error;
  return cause ?? {};
}
