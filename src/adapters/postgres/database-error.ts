/** Translates database errors to errors of this library. */
import { types } from 'node:util';
import { InternalError } from '../../errors/catalog.js';
import { databaseFault, notSentFault } from '../shared/database-fault.js';

interface DriverError extends Error {
  code?: unknown;
  table?: unknown;
  constraint?: unknown;
  detail?: unknown;
  where?: unknown;
  sql?: unknown;
  bindings?: unknown;
}

export function toInternalError(error: unknown): InternalError {
  return error instanceof InternalError ? error : databaseFault(causeWithoutValues(error));
}

/** For an error before the first statement. */
export function toNotSentError(error: unknown): InternalError {
  return notSentFault(causeWithoutValues(error));
}

function causeWithoutValues(error: unknown): unknown {
  return types.isNativeError(error) ? withoutValues(error) : error;
}

/**
 * Removes values from an error whose cause will be logged. knex prefixes the message with the
 * statement and its values (addresses, digests, hashes), and PostgreSQL repeats them in `detail`.
 * The message itself and the SQLSTATE remain.
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

/** Returns true if a unique constraint was violated. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** Returns the unique constraint or index that was violated, or null for any other error. */
export function constraintOfUniqueViolation(error: unknown): string | null {
  const { constraint } = causeOf(error);
  return isUniqueViolation(error) && typeof constraint === 'string' ? constraint : null;
}

/**
 * Returns true if a prepared statement is no longer valid: the schema changed (0A000), or a
 * connection pooler or `DISCARD ALL` dropped it, or the connection has another statement of that
 * name (26000, 42P05).
 */
export function isStaleStatement(error: unknown): boolean {
  return ['0A000', '26000', '42P05'].includes(sqlState(error));
}

/**
 * Returns true if the connection does not have the prepared statement, or has another one of that
 * name, because a pooler shares server connections.
 */
export function isLostStatement(error: unknown): boolean {
  return ['26000', '42P05'].includes(sqlState(error));
}

/**
 * Returns true if the database could not serialize parallel transactions at their isolation level.
 */
export function isSerializationFailure(error: unknown): boolean {
  return sqlState(error) === '40001';
}

/**
 * Returns true if the database rolled the whole transaction back because of a conflict with another
 * one, so that it can run again.
 */
export function isConflict(error: unknown): boolean {
  return isSerializationFailure(error) || sqlState(error) === '40P01';
}

/** Returns true if an object could not be created because another session has created it. */
export function isDuplicateObject(error: unknown): boolean {
  return isUniqueViolation(error) || ['42710', '42P07'].includes(sqlState(error));
}

/** Returns true if a lock could not be acquired within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** Returns true if another session has changed the same object of the catalog at the same time. PostgreSQL has no code for it. */
export function isCatalogRace(error: unknown): boolean {
  const races = /tuple concurrently (updated|deleted)|cache lookup failed|could not open relation with OID/;
  return sqlState(error) === 'XX000' && races.test(causeOf(error).message ?? '');
}

function sqlState(error: unknown): string {
  const { code } = causeOf(error);
  return typeof code === 'string' ? code : '';
}

function causeOf(error: unknown): Partial<DriverError> {
  const cause = error instanceof InternalError ? error.cause : error;
  return cause ?? {};
}
