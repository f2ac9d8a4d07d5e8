/**
 * The time zone of the viewer: the script of the pages keeps it in a cookie, because no header names it. Without the cookie, UTC.
 */
import type { Request } from 'express';
import { BoundedMap } from '../core/support/bounded-map.js';
import { html, type Html } from '../html/html.js';
import { readCookie } from '../http/session-cookie.js';

export const zoneCookie = 'svc_zone';

/** Names of the IANA database have at most 32 characters, and no offset such as `+01:00`. */
const form = /^[a-z][\w+-]*(?:\/[\w+-]+){0,2}$/i;
/** Whether `Intl` knows a name. Any browser can send any name, and the question takes longer than the rest of a page. */
const known = new BoundedMap<string, boolean>(200);

export function isZone(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 40 || !form.test(value)) return false;
  const answer = known.get(value) ?? isInDatabase(value);
  known.set(value, answer);
  return answer;
}

function isInDatabase(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

export function zoneOf(req: Request): string {
  const zone = readCookie(req, zoneCookie);
  return isZone(zone) ? zone : 'UTC';
}

/** The name of the zone in a page: the script replaces it in the first one, which a browser gets in UTC. */
export function zoneName(zone: string): Html {
  return html`<bdi data-zone>${zone}</bdi>`;
}

/**
 * Returns the time at which clocks in the zone show a local time. The hour that a change of the clocks repeats is its first one, and the
 * hour that it leaves out is counted on from the hour before.
 * @param local a time in UTC with the digits of the local one.
 */
export function instantIn(zone: string, local: Date): Date {
  const wanted = local.getTime();
  const dayMs = 24 * 60 * 60_000;
  const [before, after] = [offsetAt(zone, wanted - dayMs), offsetAt(zone, wanted + dayMs)];
  const candidates = [wanted - before, wanted - after].filter(
    (each) => each + offsetAt(zone, each) === wanted,
  );
  return new Date(candidates.length > 0 ? Math.min(...candidates) : wanted - before);
}

const offsetFormats = new BoundedMap<string, Intl.DateTimeFormat>(50);

/** In milliseconds, to be added to UTC. */
function offsetAt(timeZone: string, at: number): number {
  if (timeZone === 'UTC') return 0;
  const format =
    offsetFormats.get(timeZone) ??
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      ...{ timeZone, hourCycle: 'h23' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  offsetFormats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

const dayMs = 24 * 60 * 60_000;

/** Returns the start of the first day and the end of the last one in the zone. Null for a day that a date field cannot send. */
export function daysBetween(
  zone: string,
  first: string | undefined,
  last: string | undefined,
): { after: Date | null; before: Date | null } {
  const [from, to] = [dayOf(first), dayOf(last)];
  return {
    after: from && instantIn(zone, from),
    before: to && instantIn(zone, new Date(to.getTime() + dayMs)),
  };
}

function dayOf(value: string | undefined): Date | null {
  if (value === undefined || !/^\d{4}-\d\d-\d\d$/.test(value)) return null;
  const day = new Date(`${value}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? null : day;
}
