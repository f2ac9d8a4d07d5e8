/**
 * A cookie for the ceremonies that a browser has started and not finished: one entry per tab,
 * oldest first. The browser controls its content, so malformed entries are dropped.
 */
import type { Request, Response } from 'express';
import type { ServiceInternals } from '../core/internals.js';
import { isBearerRequest } from './bearer-session.js';
import { clearCookie, readCookies, setCookie, type CookieAttributes } from './session-cookie.js';

export interface CeremonyCookie {
  name: string;
  /** Matches an entry. Must not match the separator. */
  entry: RegExp;
  separator: '.' | '~';
  /** The maximum number of entries. */
  max: number;
  /**
   * Lifetime of a ceremony in milliseconds. A newer ceremony extends the cookie, so an older entry
   * can remain in it longer; the server refuses it.
   */
  ttlMs: number;
  /** Attributes that differ from those of the session cookie. */
  attributes?: CookieAttributes;
}

/** In characters. Browsers limit a cookie, with its name and attributes, to about 4096 bytes. */
const maxLength = 3_900;

export function readCeremonies(req: Request, { name, entry, separator }: CeremonyCookie): string[] {
  const entries = readCookies(req, name).flatMap((value) => value.split(separator));
  return entries.filter((each) => entry.test(each));
}

/**
 * Replaces the entries. Drops the oldest if there are too many for one cookie, and clears the
 * cookie if there are none. Does nothing for a client without cookies: its request was exempt from
 * the origin check.
 */
export function writeCeremonies(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  { name, separator, max, ttlMs, attributes }: CeremonyCookie,
  entries: readonly string[],
): void {
  if (isBearerRequest(tools, req)) return;
  const kept = entries.slice(-max);
  while (kept.length > 1 && kept.join(separator).length > maxLength) kept.shift();
  if (kept.length === 0) return clearCookie(tools, req, res, name, attributes);
  const expiresAt = new Date(tools.clock() + ttlMs);
  setCookie(tools, req, res, name, kept.join(separator), expiresAt, attributes);
}
