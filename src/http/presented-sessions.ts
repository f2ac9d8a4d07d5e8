/** The sessions of a former system that a request presents (`session.acceptSessionsFrom`). */
import type { Request, Response } from 'express';
import { internals } from '../core/internals.js';
import type { DeviceInfo } from '../domain/session.js';
import type { PresentedSession, SessionRequest } from '../core/sessions/session-source.js';
import type { Service } from '../engine/service.js';
import { isBearerRequest } from './bearer-session.js';
import { clientAddress } from './client-address.js';
import { readCookies } from './session-cookie.js';

/** Whether old sessions count for this request. A request of a bearer session has no cookies to read or to set. */
export function acceptsOldSessions(service: Service, req: Request): boolean {
  const tools = service[internals];
  return tools.oldSessions.isOpen && !isBearerRequest(tools, req);
}

/** Returns the old sessions of a request, without a lookup. */
export function presentedSessions(service: Service, req: Request) {
  return service[internals].oldSessions.presented(requestOf(req));
}

/** Uses up the old sessions of a request and ends them: for a sign-in and a sign-out. @param res if given, their cookies are cleared. */
export async function retireOldSessions(service: Service, req: Request, res?: Response): Promise<void> {
  if (!acceptsOldSessions(service, req)) return;
  for (const presented of await presentedSessions(service, req)) {
    if (res) clearOldCookies(req, res, presented.session);
    await service[internals].oldSessions.retire(presented, deviceOfRequest(req));
  }
}

export function clearOldCookies(req: Request, res: Response, { cookies = [] }: PresentedSession): void {
  for (const { name, domain, path = '/' } of cookies) {
    if (res.headersSent || readCookies(req, name).length === 0) continue;
    // Browsers ignore a cookie with such a name that is not Secure.
    res.clearCookie(name, { domain, path, ...(/^__(?:secure|host)-/i.test(name) && { secure: true }) });
  }
}

export function deviceOfRequest(req: Request): DeviceInfo {
  const [ip, userAgent] = [clientAddress(req), req.get('user-agent')?.slice(0, 512)];
  return { ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) };
}

function requestOf(req: Request): Omit<SessionRequest, 'now'> {
  return {
    cookies: (name: string) => readCookies(req, name),
    authorization: req.headers.authorization,
    request: req,
  };
}
