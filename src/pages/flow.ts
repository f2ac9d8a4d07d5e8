/**
 * What a browser has begun and not finished: the address that was typed, and the page to arrive at. It is in a cookie, so that a step
 * survives a reload and a visit to the mail app. The browser controls its content, and every value is checked when it is read.
 */
import type { Request, Response } from 'express';
import { randomToken } from '../crypto/random.js';
import { internals, isOfHost } from '../core/support/internals.js';
import type { Service } from '../engine/service.js';
import { clearCookie, readCookie, setCookie } from '../http/session-cookie.js';
import { isPath } from './options.js';

export interface Flow {
  /** The token of the forms of this browser, against cross-site request forgery before there is a session. */
  formToken: string;
  /** The address or user name that was typed. */
  email?: string;
  /** The path at which the sign-in arrives. */
  next?: string;
  /** The address that an account is about to get. */
  newEmail?: string | undefined;
}

const ttlMs = 24 * 60 * 60_000;
/** In characters. Browsers limit a cookie to about 4096 bytes. */
const maxLength = 3_000;

/** Returns the flow of the browser, or a new one. */
export function readFlow(service: Service, req: Request): Flow {
  const fresh: Flow = { formToken: randomToken(16) };
  const text = readCookie(req, cookieName(service));
  const stored = text === undefined ? null : parse(text);
  if (!stored) return fresh;
  const { formToken, email, next, newEmail } = stored;
  if (typeof formToken !== 'string' || !/^[\w-]{16,64}$/.test(formToken)) return fresh;
  return {
    formToken,
    ...(typeof email === 'string' && { email }),
    ...(isPath(next) && { next }),
    ...(typeof newEmail === 'string' && { newEmail }),
  };
}

export function writeFlow(service: Service, req: Request, res: Response, flow: Flow): void {
  const whole = encode(flow);
  const tools = service[internals];
  const expiresAt = new Date(tools.clock() + ttlMs);
  // The page to arrive at may be long; without it, the sign-in ends at the start page.
  const value = whole.length <= maxLength ? whole : encode({ ...flow, next: undefined });
  setCookie(tools, req, res, cookieName(service), value, expiresAt, attributes);
}

export function clearFlow(service: Service, req: Request, res: Response): void {
  const name = cookieName(service);
  if (readCookie(req, name) !== undefined) clearCookie(service[internals], req, res, name, attributes);
}

/** Limited to this host if the session cookie is: a sibling subdomain could otherwise set it. */
function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_pages' : 'svc_pages';
}

/** Not strict: links in mails and redirects of identity providers come from other sites. */
const attributes = { sameSite: 'lax', path: '/', domain: undefined } as const;

function encode(flow: Partial<Flow>): string {
  return Buffer.from(JSON.stringify(flow)).toString('base64url');
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
