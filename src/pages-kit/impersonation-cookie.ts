/**
 * Where the admin pages are from which an administrator acts as a user. Their cookie with the administrator's own session has their path,
 * so only they can restore it: the button on every other page sends its form there.
 */
import type { Request, Response } from 'express';
import { internals, isOfHost } from '../core/internals.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { Service } from '../engine/service.js';
import { clearCookie, readCookie, setCookie } from '../http/session-cookie.js';

/** Below the path of the admin pages: the page of an impersonation, and the form that ends it. */
export const impersonationPath = '/impersonation';

/** Of the proof: a cookie that another site or person has set leads nowhere. */
const kind = 'admin_path';

/** @param adminId who acts as the user. @param base the path of the admin pages. */
export function keepAdminPath(
  service: Service,
  req: Request,
  res: Response,
  { adminId, base, expiresAt }: { adminId: string; base: string; expiresAt: Date },
): void {
  const tools = service[internals];
  const proof = tools.formTokens.issueProof(adminId, kind, base);
  const value = `${proof}.${Buffer.from(base).toString('base64url')}`;
  setCookie(tools, req, res, cookieName(service), value, expiresAt, attributes);
}

/** Returns the path of the admin pages from which this impersonation began. Null if it began elsewhere. */
export function readAdminPath(
  service: Service,
  req: Request,
  { claims }: Pick<LiveSession, 'claims'>,
): string | null {
  const [proof = '', text = ''] = readCookie(req, cookieName(service))?.split('.') ?? [];
  const base = Buffer.from(text, 'base64url').toString();
  const adminId = claims.act?.sub;
  const isOurs = adminId !== undefined && service[internals].formTokens.isProof(adminId, kind, base, proof);
  return isOurs ? base : null;
}

export function clearAdminPath(service: Service, req: Request, res: Response): void {
  clearCookie(service[internals], req, res, cookieName(service), attributes);
}

function cookieName(service: Service): string {
  return isOfHost(service[internals].cookie.name) ? '__Host-svc_admin_path' : 'svc_admin_path';
}

const attributes = { path: '/', domain: undefined } as const;
