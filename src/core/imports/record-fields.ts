/** The fields of an imported record in the form in which they are stored. */
import { isDate } from 'node:util/types';
import type { ImportedTime, ImportedUser } from '../../domain/imported-user.js';
import { isCalendarDay } from '../../domain/calendar-day.js';
import { externalIdOf } from '../../domain/external-id.js';
import { isLocale } from '../../domain/language.js';
import { isName } from '../../domain/name.js';
import { isStorableText } from '../../domain/storable-text.js';
import type { UserBlock } from '../../domain/user-block.js';
import { usernameKey, type Username } from '../../domain/username.js';
import { parseEmailAddress } from '../../domain/email-address.js';
import { isUuid } from '../../domain/uuid.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { isServiceError } from '../../errors/service-error.js';

/** Returns the error of a field with a reason. */
export function refused(field: string, reason: string, message: string): InvalidRequestError {
  return new InvalidRequestError(message, { field, reason });
}

/** Runs a parser of a field. Its error gets the name of the field, and a reason if it has none. */
export function inField<Value>(field: string, reason: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'invalid_request') throw error;
    throw refused(field, error.reason ?? reason, error.message);
  }
}

// A number below this is a time before March 1973, or much more likely one in seconds.
const leastMs = 1e11;
const lastMs = Date.UTC(9999, 11, 31);
// With a blank between date and time, as databases write it, and without a time zone for UTC.
const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Returns the time. Without a time zone it is UTC, whatever the zone of the process is. @throws InvalidRequestError */
export function parseTime(time: ImportedTime, field: string): Date {
  const ms = typeof time === 'number' ? time : isDate(time) ? time.getTime() : msOf(time);
  if (typeof time === 'number' && Math.abs(ms) < leastMs && ms !== 0)
    throw refused(field, 'time_invalid', `${field} must be in milliseconds since 1970, not in seconds.`);
  if (!(ms >= 0 && ms < lastMs))
    throw refused(
      field,
      'time_invalid',
      `${field} must be a time from 1970 to 9999, on a day that the calendar has: a date, ISO 8601, or milliseconds.`,
    );
  return new Date(ms);
}

function msOf(text: string): number {
  const [, date, clock = '00:00', zone = 'Z'] = iso.exec(text.trim()) ?? [];
  if (date === undefined || !isCalendarDay(date)) return Number.NaN;
  const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  return Date.parse(`${date}T${clock}${offset.toUpperCase()}`);
}

/** @throws InvalidRequestError */
export function optionalUuid(id: string | null | undefined, field: string, reason: string): string | null {
  if (id == null) return null;
  if (isUuid(id.toLowerCase())) return id.toLowerCase();
  throw refused(field, reason, `${field} must have a UUID as the id.`);
}

export function optionalTime(time: ImportedTime | null | undefined, field: string): Date | null {
  return time == null ? null : parseTime(time, field);
}

const nilOrMax = /^(?:0{8}-(?:0{4}-){3}0{12}|f{8}-(?:f{4}-){3}f{12})$/;

/** Returns the id of the account, if the record has one that can be kept, and the external id. @throws InvalidRequestError */
export function parseIds(
  { id, externalId }: ImportedUser,
  prefix = '',
): { id: string | null; externalId: string | null } {
  const given = externalId == null ? null : parseId(externalId, 'externalId', prefix);
  if (id == null) return { id: null, externalId: given };
  const uuid = typeof id === 'string' ? id.toLowerCase() : '';
  if (isUuid(uuid) && !nilOrMax.test(uuid)) return { id: uuid, externalId: given };
  const other = parseId(id, 'id', prefix);
  if (given !== null && given !== other)
    throw refused('id', 'id_invalid', 'id must be a UUID if there is an externalId.');
  return { id: null, externalId: other };
}

/** @param prefix stands before the id. The id itself must identify something. */
export function parseId(id: string | number | bigint, field: string, prefix = ''): string {
  const parsed = externalIdOf(id);
  const isKnown = parsed !== null && !nilOrMax.test(parsed) && prefix.length + parsed.length <= 255;
  if (isKnown) return prefix + parsed;
  const message = `${field} must be an integer, or 1 to 255 printable ASCII characters that identify something.`;
  throw refused(field, 'id_invalid', message);
}

/** Returns a user name that no sign-up would accept: with spaces, or letters of several scripts. @throws InvalidRequestError */
export function parseAnyUsername(input: string): Username {
  const name = input.normalize('NFC');
  const key = usernameKey(name);
  const isShort = name.length <= 255 && key.length <= 255;
  // Trimmed, because forms and people drop blanks at the ends.
  if (!isShort || name !== name.trim() || !isName(name) || isUuid(key))
    throw refused(
      'username',
      'username_invalid',
      'username must be 1 to 100 visible characters on one line, and not an id.',
    );
  if (isAddress(name))
    throw refused('username', 'username_invalid', 'username must not be an address: give it as email.');
  return { name, key };
}

/** A user name that is an address would sign in to the account of one user with the address of another one. */
function isAddress(name: string): boolean {
  try {
    return parseEmailAddress(name) !== '';
  } catch {
    return false;
  }
}

export function parseBlock(blocked: ImportedUser['blocked'], now: Date): UserBlock | null {
  if (blocked == null || blocked === false) return null;
  if (blocked === true) return { at: now, until: null, reason: null };
  const { at, until, reason } = blocked;
  if (reason != null && (reason.length > 500 || !isStorableText(reason)))
    throw refused('blocked', 'block_invalid', 'blocked.reason must be at most 500 characters.');
  return {
    at: optionalTime(at, 'blocked.at') ?? now,
    until: optionalTime(until, 'blocked.until'),
    reason: reason ?? null,
  };
}

export function parseLanguage(language: string | null | undefined): string | null {
  if (language == null || language === '') return null;
  const tag = language.replaceAll('_', '-');
  if (isLocale(tag)) return tag;
  throw refused('language', 'language_invalid', 'language must be a language tag, such as pt-BR.');
}
