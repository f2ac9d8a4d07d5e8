/** Reads the values of columns: databases and exports write the same boolean, time or list in many ways. */
import { isCalendarDay } from '../../domain/calendar-day.js';
import type { Row, Rule, MapContext } from './source.js';

const plainNames = new Map<string, string>();

/** `email_verified`, `emailVerified` and `EMAILVERIFIED` are one name. */
export function plainName(name: string): string {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replace(/[\s_-]/g, '');
  // Objects of a hostile file can have any number of names.
  if (plainNames.size < 10_000) plainNames.set(name, plain);
  return plain;
}

/** Returns the value of a column, or of a path such as `app_metadata.plan`. Undefined if there is none. */
export function valueAt(row: Row, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name];
  const plain = plainName(name);
  for (const key in row) if (Object.hasOwn(row, key) && plainName(key) === plain) return row[key];
  const dot = name.indexOf('.');
  if (dot < 1) return undefined;
  const inner = asObject(valueAt(row, name.slice(0, dot)));
  return inner && valueAt(inner, name.slice(dot + 1));
}

export function evaluate(rule: Rule, row: Row, context: MapContext): unknown {
  if (typeof rule === 'function') return rule(row, context);
  for (const name of typeof rule === 'string' ? [rule] : rule) {
    const value = simplified(valueAt(row, name));
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return null;
}

/** MongoDB writes ids, dates and large numbers as objects. */
export function simplified(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const [key, ...others] = Object.keys(value);
  if (key === undefined || others.length > 0 || !key.startsWith('$')) return value;
  const inner = (value as Record<string, unknown>)[key];
  return ['$oid', '$date', '$numberLong', '$numberInt', '$uuid'].includes(key) ? simplified(inner) : value;
}

/** Keycloak and directories have a list of values in every attribute. */
export const single = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;

/** Returns a string without spaces at its ends. Null for an empty one. */
export function asText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (Buffer.isBuffer(value)) return value.toString('utf8').trim() || null;
  return typeof value === 'string' ? value.trim() || null : null;
}

/** Returns an id. One of 16 bytes is a UUID. */
export function asId(value: unknown): string | number | null {
  if (Buffer.isBuffer(value) && value.length === 16)
    return value.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  if (Buffer.isBuffer(value)) return value.toString('hex');
  return typeof value === 'number' ? value : asText(value);
}

const yes = new Set(['true', 't', 'yes', 'y', '1', 'on', 'verified', 'confirmed']);
const no = new Set(['false', 'f', 'no', 'n', '0', 'off', 'null', '\\n', 'unverified', 'unconfirmed']);

/** Returns whether a flag is set: a boolean in any form, or a time at which it was set. Null if it is neither. */
export function asFlag(value: unknown): boolean | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value;
  if (Buffer.isBuffer(value)) return value.some((byte) => byte === 1 || byte === 0x31);
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (yes.has(text)) return true;
  if (no.has(text)) return false;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) > 0;
  return asTime(value) === null ? null : true;
}

const localTime = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/;

/** Returns a time. One without a zone is UTC; a small number is seconds. Null for the zero times of databases and languages, and for what is not a time. */
export function asTime(value: unknown): Date | null {
  if (value instanceof Date) return validTime(value);
  if (typeof value === 'bigint') return asTime(Number(value));
  if (typeof value === 'number')
    return value > 0 ? validTime(new Date(value < 1e11 ? value * 1000 : value)) : null;
  const text = asText(value);
  if (text === null || text.startsWith('0000-')) return null;
  if (/^\d{9,14}(?:\.\d+)?$/.test(text)) return asTime(Number(text));
  const [, day, time] = localTime.exec(text) ?? [];
  if (/^\d{4}-\d\d-\d\d/.test(text) && !isCalendarDay(text.slice(0, 10))) return null;
  if (day !== undefined) return validTime(new Date(`${day}T${time ?? '00:00'}Z`));
  // PostgreSQL writes `2024-01-31 12:00:00.5+00`, Rails `2024-01-31 12:00:00 UTC`.
  const iso = text.replace(/^(\d{4}-\d\d-\d\d) (\d)/, '$1T$2').replace(/ ?UTC$/, 'Z');
  return /^\d{4}-\d\d-\d\d/.test(iso) ? validTime(new Date(iso.replace(/([+-]\d\d)$/, '$1:00'))) : null;
}

const nothing = /^(?:-?0+(?:\.0+)?|null|nil|none|nan|never|\\n|-|n\/a|-?infinity|000[01]-.*)$/i;

/** Returns a time, or what is in its place, which the import refuses: it must not count as absent. Null for the zero times. */
export function asTimeOrText(value: unknown): Date | string | null {
  const time = asTime(value);
  const text = time === null && typeof value === 'string' ? asText(value) : null;
  if (text === null || nothing.test(text)) return time;
  const early = Date.parse(text);
  return isCalendarDay(text.slice(0, 10)) && early <= 0 ? null : text;
}

/** The zero time of Go and .NET is in the year 1, that of others in 1970: nothing has happened then. */
const validTime = (time: Date) => (time.getTime() > 0 ? time : null);

/** Returns an object, also one that is JSON in a string. Null for anything else. */
export function asObject(value: unknown): Row | null {
  const parsed = typeof value === 'string' && value.startsWith('{') ? parsedJson(value) : value;
  const isObject = typeof parsed === 'object' && parsed !== null;
  return isObject && !Array.isArray(parsed) && !Buffer.isBuffer(parsed) && !(parsed instanceof Date)
    ? (parsed as Row)
    : null;
}

/** Returns the objects of an array, also one that is JSON in a string. */
export function asObjects(value: unknown): readonly Row[] {
  const parsed = typeof value === 'string' && value.startsWith('[') ? parsedJson(value) : value;
  return Array.isArray(parsed) ? parsed.map(asObject).filter((each) => each !== null) : [];
}

/** Returns the strings of an array, of JSON, of an array of PostgreSQL (`{a,b}`), or of a list with commas. */
export function asList(value: unknown): readonly string[] {
  const parsed = typeof value === 'string' && value.startsWith('[') ? parsedJson(value) : value;
  const items: unknown[] = Array.isArray(parsed)
    ? parsed
    : (asText(parsed)
        ?.replace(/^\{(.*)\}$/, '$1')
        .split(/[,;|]/) ?? []);
  return items.map((item) => asText(item)?.replace(/^"(.*)"$/, '$1') ?? '').filter((item) => item !== '');
}

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns base64 in the form of URLs, without padding. */
export function asBase64Url(value: unknown): string | null {
  if (Buffer.isBuffer(value)) return value.toString('base64url');
  return asText(value)?.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') ?? null;
}

const maxDepth = 20;

/** Returns a copy for the metadata, without the names that mean something to JavaScript. */
export function cleaned(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (depth > maxDepth || Buffer.isBuffer(value)) return null;
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1));
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries.map(([name, item]) => [name, cleaned(item, depth + 1)]));
}
