/**
 * Converts every value that is bound to a statement. A value that PostgreSQL cannot compare (a
 * malformed UUID, text that it cannot store) becomes null, and null equals nothing, so it behaves
 * like an unknown value.
 */
import { isStorableText, storableText } from '../../domain/storable-text.js';
import { isUuid } from '../../domain/uuid.js';

/**
 * Returns whether PostgreSQL can store the text. `pg` would turn a lone surrogate into U+FFFD, and
 * so one key into another.
 */
export function isStorable(value: string): boolean {
  return typeof value === 'string' && isStorableText(value);
}

export function asUuid(id: string): string | null {
  return isUuid(id) ? id : null;
}

/**
 * SQL for the binding `:ids` of a coalesced lookup. The sub-select hides their number from
 * PostgreSQL, which would plan the prepared statement again for every call because a plan for one
 * id is cheaper than one for any number: 0.2 ms of planning for 0.05 ms of execution.
 */
export const anyOfIds = 'any(cast((select cast(:ids as uuid[])) as uuid[]))';

/** SQL for an array binding of `unnest`, which hides the number of its elements like `anyOfIds`. */
export function arrayOf(binding: string, type: string): string {
  return `(select cast(:${binding} as ${type}[]))`;
}

export function asText(value: string): string | null {
  return isStorable(value) ? value : null;
}

/**
 * For keys that must count even if they cannot be stored, such as the key of a rate limit: escaped,
 * not null.
 */
export function asKey(value: string): string {
  return isStorable(value) ? value : JSON.stringify(value);
}

/**
 * Returns an ISO 8601 string, so that neither the driver's time zone nor a Date of another realm
 * matters.
 */
export function asTimestamp(value: Date): string {
  return value.toISOString();
}

/**
 * Returns SQL that selects a time as a string of milliseconds since the epoch. It does not depend
 * on the `DateStyle` and `TimeZone` of the connection, or on type parsers that the application has
 * registered with the driver.
 */
export function epochMs(column: string): string {
  return `cast(extract(epoch from ${column}) * 1000 as text)`;
}

/**
 * Reads a column that was selected with `epochMs`. A malformed value becomes an invalid Date, never
 * null: callers compare times so that an invalid Date counts as expired or revoked.
 */
export function readTime(value: string): Date {
  return new Date(typeof value === 'string' ? Number.parseFloat(value) : Number.NaN);
}

/** Like `readTime`, for a column that may be null. */
export function readOptionalTime(value: string | null): Date | null {
  return value === null ? null : readTime(value);
}

// Unstorable characters as `JSON.stringify` escapes them, in keys too. The first alternative skips
// an escaped backslash.
const unstorableEscape = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g;

/**
 * Returns JSON for a jsonb column. Replaces unstorable characters: a user agent that has one must
 * not make a sign-in fail.
 */
export function asJsonb(value: object): string {
  return JSON.stringify(value).replace(unstorableEscape, (match) => (match === '\\\\' ? match : '\\ufffd'));
}

/** For a name that is only displayed: replaces unstorable characters. */
export function asLabel(value: string): string {
  return storableText(value);
}
