/** GET /google/start, /google/callback, and the same at /idp */
import type { Request, RequestHandler } from 'express';
import type { Service } from '../../engine/service.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { internals } from '../../kit/internals.js';
import type { RouteDescription } from '../endpoint.js';
import type { EndpointTools } from '../endpoint-tools.js';
import { toServiceError } from '../error-handler.js';
import { redirect } from '../redirects.js';
import { get, queryOf, signInContext } from '../route.js';
import type { RouteTools } from '../route-tools.js';
import { isSecure, readCookie } from '../session-cookie.js';
import { giveSession } from '../signed-in.js';

const cookieName = 'svc_oauth';

/** The two routes below `path`, for each place that they are mounted at. */
export function describeIdentityProvider({ z }: EndpointTools, path: string): RouteDescription[] {
  return [
    {
      method: 'get',
      path: `${path}/start`,
      access: 'open',
      summary: 'Begins a sign-in at the identity provider; a page leads the browser here',
      query: z.object({ state: z.string().optional() }),
      redirects: 'away',
      errors: ['invalid_request', 'oauth_error'],
    },
    {
      method: 'get',
      path: `${path}/callback`,
      access: 'open',
      summary: 'Where the identity provider sends the browser back: signs in',
      query: z.looseObject({
        state: z.string().optional(),
        code: z.string().optional(),
        error: z.string().optional(),
      }),
      redirects: 'back',
      setsSession: true,
    },
  ];
}

export function startIdentityProvider({ service }: RouteTools): RequestHandler {
  return get(async (req, res) => {
    const { state } = req.query;
    if (state !== undefined && typeof state !== 'string')
      throw new InvalidRequestError('state must be a string.');
    const { google } = service;
    const { url, transaction, expiresAt } = await google.startRedirect(state);
    const maxAge = expiresAt.getTime() - service[internals].clock();
    res.cookie(cookieName, transaction, { ...transactionCookie(service, req), maxAge });
    redirect(res, url);
  });
}

export function identityProviderCallback({ service, redirects }: RouteTools): RequestHandler {
  return get(async (req, res) => {
    try {
      const { google } = service;
      const transaction = readCookie(req, cookieName);
      // Gone before anything is checked: one answer per start.
      res.clearCookie(cookieName, transactionCookie(service, req));
      const result = await google.finishRedirect(queryOf(req), transaction, signInContext(service, req));
      giveSession(service, req, res, result);
      redirect(res, redirects.success(result.appState));
    } catch (error) {
      redirect(res, redirects.failure(toServiceError(error, req, service[internals].logger)));
    }
  });
}

// Sent to the callback alone, as the browser sees its path. Lax, because the callback is a navigation from elsewhere.
function transactionCookie(service: Service, req: Request) {
  const { cookie } = service[internals];
  const path = new URL(service.google.redirectUri).pathname;
  return { httpOnly: true, sameSite: 'lax', path, secure: isSecure(cookie, req) } as const;
}
