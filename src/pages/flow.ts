/**
 * What a browser has begun and not finished: the address that was typed, and the page to arrive at. It is in a cookie, so that a step
 * survives a reload and a visit to the mail app. The browser controls its content, and every value is checked when it is read.
 */
import type { Request, Response } from 'express';
import { randomToken } from '../crypto/random.js';
import { internals, isOfHost } from '../core/support/internals.js';
import type { Service } from '../engine/service.js';
import { readCookie, setCookie } from '../http/session-cookie.js';
import { isPath } from './options.js';
import type { TemplateFlow } from './views.js';

export interface Flow extends TemplateFlow {
  /** The address that an account is about to get. */
  newEmail?: string | undefined;
  /** The phone number that an account is about to get. */
  newPhone?: string | undefined;
  /** The digest of the sign-in for whose second step a code was mailed. */
  mailedFor?: string;
}

/** The part of the flow that belongs to one tab. */
const carried = {
  next: 'flow_next',
  email: 'flow_email',
  phone: 'flow_phone',
  remember: 'flow_remember',
} as const;

/** Returns the hidden fields of every form: two tabs share the cookie, and must not mix what they have begun. */
export function carriedFields(flow: Readonly<TemplateFlow>): [name: string, value: string][] {
  return Object.entries(carried).flatMap(([property, name]) => {
    const value = flow[property as keyof typeof carried];
    return value === undefined ? [] : [[name, String(value)]];
  });
}

/** Restores the flow of the tab that sends a form. */
export function restoreFlow(flow: Flow, values: URLSearchParams): void {
  for (const property of Object.keys(carried) as (keyof typeof carried)[]) delete flow[property];
  const stored = Object.fromEntries(
    Object.entries(carried).map(([property, name]) => [property, values.get(name)]),
  );
  Object.assign(flow, checked({ ...stored, remember: stored['remember'] === 'false' ? false : undefined }));
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
  const { formToken, newEmail, newPhone, mailedFor } = stored;
  if (typeof formToken !== 'string' || !/^[\w-]{16,64}$/.test(formToken)) return fresh;
  return {
    formToken,
    ...checked(stored),
    ...(typeof newEmail === 'string' && { newEmail }),
    ...(typeof newPhone === 'string' && { newPhone }),
    ...(typeof mailedFor === 'string' && { mailedFor }),
  };
}

/** The browser controls every value. */
function checked({ email, next, phone, remember }: Record<string, unknown>): Omit<Flow, 'formToken'> {
  return {
    ...(typeof email === 'string' && { email }),
    ...(isPath(next) && { next }),
    ...(typeof phone === 'string' && { phone }),
    ...(remember === false && { remember }),
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

/** Ends the flow. The token remains: another tab may show a form with it. */
export function clearFlow(service: Service, req: Request, res: Response): void {
  if (readCookie(req, cookieName(service)) === undefined) return;
  const { formToken } = readFlow(service, req);
  writeFlow(service, req, res, { formToken });
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
