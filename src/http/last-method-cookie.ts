/**
 * The `svc_last_method` cookie: how the last sign-in in this browser began. The sign-in page marks its button. It belongs to the browser
 * and names no account: nothing is decided by it, so it is not signed, and it stays when its user signs out.
 */
import type { Request, Response } from 'express';
import { internals, isOfHost } from '../core/internals.js';
import { isRemembered } from '../core/sessions/session-tokens.js';
import type { SignInResult } from '../core/sessions/sign-in-result.js';
import type { Service } from '../engine/service.js';
import { readCookie, setCookie } from './session-cookie.js';

const yearMs = 365 * 24 * 60 * 60_000;
/** Not strict: links in mails come from other sites. */
const attributes = { sameSite: 'lax', path: '/', domain: undefined } as const;

/** Keeps the first method of a sign-in. */
export function keepLastMethod(
  service: Service,
  req: Request,
  res: Response,
  { method, session }: SignInResult,
): void {
  const tools = service[internals];
  // Only the pages read it.
  if (tools.pageTargets.success === undefined || method === undefined || !session) return;
  const claims = tools.sessions.tokens.claimsOf(session.token);
  // A browser that is to forget the session, such as one in a library, keeps nothing of it.
  if (claims === null || !isRemembered(claims)) return;
  const [first = ''] = method.split('+');
  setCookie(tools, req, res, cookieName(service), first, new Date(tools.clock() + yearMs), attributes);
}

/** Returns the name that the log has for the method, or that of the identity provider in the configuration. The browser controls it. */
export function readLastMethod(service: Service, req: Request): string | undefined {
  return readCookie(req, cookieName(service));
}

function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_last_method' : 'svc_last_method';
}
