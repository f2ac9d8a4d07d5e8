/** What every route shares: headers, the origin check, context, and the way of an error to the error handler. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { DeviceInfo } from '../domain/session.js';
import type { Service } from '../engine/service.js';
import { internals } from '../kit/internals.js';
import type { RequestContext } from '../kit/sign-in.js';
import { clientAddress } from './client-address.js';
import { readDeviceToken } from './device-cookie.js';
import { checkOrigin } from './origin-check.js';
import { readSessionCookie } from './session-cookie.js';

type Handler = (req: Request, res: Response) => Promise<void>;

/** A route that a link or a redirect leads to; it guards itself by what its query holds. */
export function get(handler: Handler): RequestHandler {
  return wrap(handler);
}

/** A route that a page of another site must not be able to call. */
export function post(service: Service, handler: Handler): RequestHandler {
  return wrap((req, res) => {
    checkOrigin(service[internals], req);
    return handler(req, res);
  });
}

// Express 4 does not hear of a rejected handler; `next` works in both.
function wrap(handler: Handler): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    setAnswerHeaders(res);
    Promise.resolve()
      .then(() => handler(req, res))
      .catch(next);
  };
}

/** Answers carry sessions and users: no cache keeps them, no referrer carries a token on. */
export function setAnswerHeaders(res: Response): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.vary('Cookie');
}

/**
 * What a sign-in needs to know of its request.
 * @param token of the session that the request was authenticated with. A sign-in has none: it replaces the session of the cookie.
 */
export function signInContext(service: Service, req: Request, token?: string): RequestContext {
  return {
    ...requestContext(req),
    sessionToken: token ?? readSessionCookie(service[internals].cookie, req),
    deviceToken: readDeviceToken(service, req),
    userAgent: req.get('user-agent')?.slice(0, 512),
    startSession: true,
  };
}

/** The device of a request, for a session or a refresh token. */
export function deviceOf({ ip, userAgent }: RequestContext): DeviceInfo {
  return { ...(ip && { ip }), ...(userAgent && { userAgent }) };
}

/** The query as the URL has it. */
export function queryOf(req: Request): URLSearchParams {
  const at = req.originalUrl.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : req.originalUrl.slice(at));
}

/** A browser or a scanner that looks before anybody has clicked: what works once must outlive that. */
export function isPrefetch({ headers }: Request): boolean {
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-moz']];
  return purpose.some((value) => /prefetch|preview/i.test(value?.toString() ?? ''));
}

export function requestContext(req: Request): RequestContext {
  return { ip: clientAddress(req) };
}

/** JSON without an ETag: the answer is `no-store`, so nobody could use one. */
export function sendJson(res: Response, body: unknown, status = 200): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(JSON.stringify(body));
}
