/**
 * A cookie for the ceremonies that a browser has begun and not finished: one entry per tab, oldest first. Its content comes from the
 * browser, so only entries of the expected form are kept.
 */
import type { Request, Response } from 'express';
import type { ServiceInternals } from '../kit/internals.js';
import { clearCookie, readCookie, setCookie, type CookieAttributes } from './session-cookie.js';

export interface CeremonyCookie {
  name: string;
  /** The form of an entry, which must not match the separator. */
  entry: RegExp;
  separator: '.' | '~';
  /** How many entries it keeps. */
  max: number;
  /** Lifetime of a ceremony. An entry may stay in the cookie longer, until a newer ceremony ends; the server then refuses it. */
  ttlMs: number;
  /** Attributes that differ from those of the session cookie. */
  attributes?: CookieAttributes;
}

/** Browsers accept about 4096 bytes for a cookie with its name and attributes. */
const maxLength = 3_900;

export function readCeremonies(req: Request, { name, entry, separator }: CeremonyCookie): string[] {
  const entries = readCookie(req, name)?.split(separator) ?? [];
  return entries.filter((each) => entry.test(each));
}

/** Replaces the entries. Drops the oldest when they are too many or too long for one cookie; clears the cookie when none is left. */
export function writeCeremonies(
  tools: ServiceInternals,
  req: Request,
  res: Response,
  { name, separator, max, ttlMs, attributes }: CeremonyCookie,
  entries: readonly string[],
): void {
  const kept = entries.slice(-max);
  while (kept.length > 1 && kept.join(separator).length > maxLength) kept.shift();
  if (kept.length === 0) return clearCookie(tools, req, res, name, attributes);
  const expiresAt = new Date(tools.clock() + ttlMs);
  setCookie(tools, req, res, name, kept.join(separator), expiresAt, attributes);
}
