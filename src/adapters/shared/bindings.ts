/**
 * Converts every value that is bound to a statement. A value that a database cannot compare (a
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
 * Reads a column that was selected as milliseconds since the epoch. A malformed value becomes an invalid Date, never
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
