/**
 * What a browser has begun and not finished: the address that was typed, and the page to arrive at. It is in a cookie, so that a step
 * survives a reload and a visit to the mail app. The browser controls its content, and every value is checked when it is read.
 */
import type { Request, Response } from 'express';
import { randomToken } from '../crypto/random.js';
import { internals, isOfHost } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import { nameOfLink } from '../http/link-browser.js';
import { readCookie, setCookie } from '../http/session-cookie.js';
import { isPath } from './paths.js';
import type { TemplateFlow } from './views.js';

export interface Flow extends TemplateFlow {
  /** What an account is about to get. `pending.ts` reads and writes it. */
  pending?: Partial<Record<PendingKind, Pending>>;
  /** What was sent to this browser's user. `sent.ts` reads and writes it. */
  sent?: readonly SentNote[];
  /** The pages to arrive at by mailed link: each tab waits for its own. */
  links?: readonly MailedLink[];
  /** What was typed when a session had ended. `account/typed.ts` reads and writes it. */
  typed?: TypedForm | undefined;
}

/** The fields of a form, as a query. */
export interface TypedForm {
  path: string;
  /** Names the account. */
  mark: string;
  text: string;
}

export type PendingKind = 'email' | 'phone';

/** A value, and the proof that a page has put it into the cookie for a user. */
interface Pending {
  value: string;
  proof: string;
}

/** A code or a link that was sent: a digest of what and to whom, and when, in milliseconds since the epoch. */
export type SentNote = readonly [name: string, at: number];

/** @param name does not contain the secret of the link. */
type MailedLink = readonly [name: string, next: string];

/** The part of the flow that belongs to one tab. */
const carried = {
  next: 'flow_next',
  email: 'flow_email',
  phone: 'flow_phone',
  remember: 'flow_remember',
  codeFormat: 'flow_code_format',
  from: 'flow_from',
  account: 'form_account',
} as const;

/** Returns the hidden fields of every form: two tabs share the cookie, and must not mix what they have begun. */
export function carriedFields(flow: Readonly<TemplateFlow>): [name: string, value: string][] {
  return Object.entries(carried).flatMap(([property, name]) => {
    const value = flow[property as keyof typeof carried];
    return value === undefined ? [] : [[name, String(value)]];
  });
}

/** For the forms of the account, which belong to a session and carry nothing else. */
export function carriedNext({ next }: Readonly<TemplateFlow>): [name: string, value: string][] {
  return next === undefined ? [] : [[carried.next, next]];
}

const sinceParam = 'signed_in_since';

/**
 * Adds to a page to arrive at when the user must have signed in for it, so that every step of the sign-in carries both.
 * @param since in milliseconds since the epoch
 */
export function withSignInSince(path: string, since: number): string {
  return `${path}${path.includes('?') ? '&' : '?'}${sinceParam}=${since}`;
}

/** Returns when the user must have signed in for the page to arrive at, or 0. The page itself decides: the browser controls this. */
export function signInSinceOf({ next = '' }: Readonly<TemplateFlow>): number {
  const since = Number(new URLSearchParams(next.split('?')[1]).get(sinceParam));
  return Number.isSafeInteger(since) ? since : 0;
}

/** Restores the page to arrive at of the tab that sends a form of the account. */
export function restoreNext(flow: Flow, values: URLSearchParams): void {
  const next = values.get(carried.next);
  delete flow.next;
  if (isPath(next)) flow.next = next;
}

/** Restores the flow of the tab that sends a form. */
export function restoreFlow(flow: Flow, values: URLSearchParams): void {
  for (const property of Object.keys(carried) as (keyof typeof carried)[]) delete flow[property];
  const stored = Object.fromEntries(
    Object.entries(carried).map(([property, name]) => [property, values.get(name)]),
  );
  Object.assign(flow, checked({ ...stored, remember: stored['remember'] === 'false' ? false : undefined }));
}

/** Remembers the page that the tab asked for, for a link that is mailed now. */
export function keepLink(flow: Flow, url: string): void {
  const token = new URL(url).searchParams.get('token');
  if (flow.next !== undefined && token !== null)
    flow.links = [...(flow.links ?? []), [nameOfLink(token), flow.next] as const].slice(-maxLinks);
}

/** Continues what a link was mailed for. An unknown link has no page: the cookie may have that of another tab. */
export function followLink(flow: Flow, name: string): void {
  const next = flow.links?.find(([each]) => each === name)?.[1];
  if (next === undefined) delete flow.next;
  else flow.next = next;
}

const maxLinks = 5;
export const maxNotes = 5;
const ttlMs = 24 * 60 * 60_000;
/** In characters. Browsers limit a cookie to about 4096 bytes. */
const maxLength = 3_000;

/** Returns the flow of the browser, or a new one. */
export function readFlow(service: Service, req: Request): Flow {
  const fresh: Flow = { formToken: randomToken(16) };
  const text = readCookie(req, cookieName(service));
  const stored = text === undefined ? null : parse(text);
  if (!stored) return fresh;
  const { formToken, links, pending, sent, typed } = stored;
  if (typeof formToken !== 'string' || !/^[\w-]{16,64}$/.test(formToken)) return fresh;
  return {
    formToken,
    ...checked(stored),
    pending: { ...pendingIn(pending, 'email'), ...pendingIn(pending, 'phone') },
    ...(isTypedForm(typed) && { typed }),
    ...(Array.isArray(sent) && { sent: sent.filter(isNote).slice(-maxNotes) }),
    ...(Array.isArray(links) && { links: links.filter(isLink).slice(-maxLinks) }),
  };
}

function pendingIn(stored: unknown, kind: PendingKind): Flow['pending'] {
  const { value, proof } = {
    ...(stored as Partial<Record<PendingKind, Partial<Pending> | null>> | null)?.[kind],
  };
  return isIdentifier(value) && typeof proof === 'string' ? { [kind]: { value, proof } } : {};
}

function isNote(value: unknown): value is SentNote {
  return Array.isArray(value) && value.length === 2 && isShort(value[0]) && Number.isSafeInteger(value[1]);
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 16;
}

function isLink(value: unknown): value is MailedLink {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isPath(value[1]);
}

function isTypedForm(value: unknown): value is TypedForm {
  const { path, mark, text } = { ...(value as Partial<TypedForm> | null | undefined) };
  return [path, mark, text].every(isIdentifier);
}

/** In characters: longer than any address, user name or number, so that the cookie stays below the limit of browsers. */
export const maxIdentifier = 320;

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxIdentifier;
}

/** The browser controls every value. */
function checked({
  codeFormat,
  email,
  from,
  next,
  phone,
  remember,
}: Record<string, unknown>): Omit<Flow, 'formToken'> {
  return {
    ...(isIdentifier(email) && { email }),
    ...(isPath(next) && { next }),
    ...(isIdentifier(phone) && { phone }),
    ...(remember === false && { remember }),
    ...(codeFormat === 'letters' && { codeFormat }),
    ...(from === 'sign-up' && { from }),
  };
}

export function writeFlow(service: Service, req: Request, res: Response, flow: Flow): void {
  const tools = service[internals];
  const expiresAt = new Date(tools.clock() + ttlMs);
  // The pages to arrive at may be long; without one, the sign-in ends at the start page.
  const links = [...(flow.links ?? [])];
  const isTooLong = () => encode({ ...flow, links }).length > maxLength;
  while (links.length > 0 && isTooLong()) links.shift();
  const value = encode({ ...flow, links, ...(isTooLong() && { next: undefined }) });
  setCookie(tools, req, res, cookieName(service), value, expiresAt, attributes);
}

/** Ends the flow. What other tabs need remains, the token of their forms and the pages of their links, and what the next page shows. */
export function clearFlow(service: Service, req: Request, res: Response): void {
  if (readCookie(req, cookieName(service)) === undefined) return;
  const { formToken, links = [], typed } = readFlow(service, req);
  writeFlow(service, req, res, { formToken, links, typed });
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
