/**
 * The only way a value reaches a statement. What PostgreSQL would refuse to compare (an id that is no UUID,
 * text it cannot hold) becomes null here, and null equals nothing: such a value behaves like an unknown one.
 */
import { isStorableText, storableText } from '../../domain/storable-text.js';
import type { Binding } from './database.js';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Lower case only, as the engine makes them: the memory adapter knows no other spelling either. */
export function isUuid(id: string): boolean {
  return typeof id === 'string' && uuidPattern.test(id);
}

/** `pg` would turn a lone surrogate into U+FFFD, and with it one key into another. */
export function isStorable(value: string): boolean {
  return typeof value === 'string' && isStorableText(value);
}

export function uuid(id: string): string | null {
  return isUuid(id) ? id : null;
}

export function text(value: string): string | null {
  return isStorable(value) ? value : null;
}

/** For names that must count even if they are odd, such as the key of a limit: escaped, not dropped. */
export function opaque(value: string): string {
  return isStorable(value) ? value : JSON.stringify(value);
}

/** ISO text, so that neither the driver's time zone nor a Date of another realm plays a part. */
export function time(value: Date): string {
  return value.toISOString();
}

/**
 * Selects a time as text: milliseconds since the epoch. The session's `DateStyle` and `TimeZone` do not change it, and neither do
 * type parsers that the application has registered with the driver.
 */
export function epochMs(column: string): string {
  return `cast(extract(epoch from ${column}) * 1000 as text)`;
}

/**
 * Reads a column that was selected with `epochMs`. An unreadable value becomes an invalid Date, never null: callers compare times
 * so that an invalid one counts as expired or revoked.
 */
export function readTime(value: string): Date {
  return new Date(typeof value === 'string' ? Number.parseFloat(value) : Number.NaN);
}

/** As `readTime`, for a column that may be null. */
export function readOptionalTime(value: string | null): Date | null {
  return value === null ? null : readTime(value);
}

// What is not storable, escaped as `JSON.stringify` writes it, in keys too; the first alternative steps over an escaped backslash.
const unstorableEscape = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g;

/** JSON for a jsonb column. A user agent with a broken character must not stop a sign-in, so that one is replaced. */
export function json(value: object): Binding {
  return JSON.stringify(value).replace(unstorableEscape, (match) => (match === '\\\\' ? match : '\\ufffd'));
}

/** For a name that is only ever shown: a broken character in it is replaced and stops nothing. */
export function label(value: string): string {
  return storableText(value);
}
