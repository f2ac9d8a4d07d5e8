/**
 * Mounts a table of routes on an Express router: which checks run before a handler, in which order.
 */
import type { NextFunction, Request, RequestHandler, Response, Router } from 'express';
import type { Service } from '../engine/service.js';
import { toServiceUser } from '../domain/user.js';
import { internals, withInternals } from '../core/internals.js';
import { loadExpress } from '../runtime/load.js';
import { inRequest } from './acting-request.js';
import { requirePermission, type Authorize } from './admin-permission.js';
import { admit, type AdmissionRule } from './admit.js';
import { authenticate, checkExpectedCookieUser } from './authenticate.js';
import { isBearerRequest, refuseUnsupported } from './bearer-session.js';
import type { GuardedEndpoint, JsonEndpoint, RedirectEndpoint, SignedInCall } from './endpoint.js';
import { errorHandler, toServiceError } from './error-handler.js';
import { refuseUnproven } from './key-proofs.js';
import { checkOriginOfCookies } from './origin-check.js';
import { redirect, type Redirects } from './redirects.js';
import { createBodyReader, createFormReader, type BodyReader, type FormReader } from './request-body.js';
import { rememberOfQuery, takeRemember } from './remember.js';
import { isPrefetch, routeContext } from './request-context.js';
import { requireSession } from './require-session.js';
import { sendJson, sendPage, setResponseHeaders } from './respond.js';
import type { Route } from './route.js';

interface RouterTools {
  service: Service;
  redirects: Redirects;
  /** How old the sign-in may be for `recent` access, in milliseconds. */
  freshMs: number;
  /** For endpoints with an `action`: without it, they refuse every caller. */
  authorize?: Authorize;
  readBody: BodyReader;
  readForm: FormReader;
}

/**
 * Returns an Express router with the routes, in the order of the table, and the error handler.
 * @param extend adds what is not in a table.
 */
export function createRouter(
  routes: readonly Route[],
  options: Pick<RouterTools, 'service' | 'redirects' | 'freshMs' | 'authorize'>,
  extend?: (router: Router) => void,
): Router {
  const router = loadExpress().Router();
  const tools = { ...options, readBody: createBodyReader(), readForm: createFormReader() };
  for (const route of routes) mount(router, route, tools);
  extend?.(router);
  router.use(errorHandler(options.service));
  return withShortcuts(router, routes, options.service);
}

/**
 * Handles two kinds of requests in front of the router:
 * - Those whose URL is exactly the path of a route with a JSON response. Matching it costs Express as
 *   much as a session check (docs/performance.md). Another spelling, or a query, takes the route.
 * - OPTIONS, which is left to the application, so that it can respond to CORS preflights. Express
 *   would collect the methods of the routes and respond with their list.
 */
function withShortcuts(router: Router, routes: readonly Route[], service: Service): Router {
  const shortcuts = new Map<string, RequestHandler>();
  for (const { method, path, endpoint } of routes) {
    if (typeof path === 'string' && !path.includes(':') && endpoint.kind !== 'redirect')
      shortcuts.set(`${method} ${path}`, shortcutOf(router, { method, path, endpoint }, service));
  }
  const handle = (req: Request, res: Response, next: NextFunction) =>
    inRequest(service[internals], req, () => dispatch(req, res, next));
  const dispatch = (req: Request, res: Response, next: NextFunction) => {
    const shortcut = shortcuts.get(`${req.method} ${req.url}`);
    if (shortcut) shortcut(req, res, next);
    else if (req.method === 'OPTIONS') next();
    else router(req, res, next);
  };
  // Tools that list the routes of an application look for routers by this name.
  Object.defineProperty(handle, 'name', { value: 'router' });
  return withInternals(Object.setPrototypeOf(handle, router) as Router, service[internals]);
}

/** Calls the layer of the route, which monitoring may have wrapped to name the request. */
function shortcutOf(router: Router, { method, path, endpoint }: Route, service: Service): RequestHandler {
  const verb = method.toLowerCase();
  const isMounted = (layer: Router['stack'][number]) =>
    layer.route?.path === path && (layer.route as { methods?: Record<string, boolean> }).methods?.[verb];
  const layer = router.stack.find(isMounted)!;
  // Every page sends GET /session, and a route passes it from layer to layer.
  const handler = endpoint.kind === 'guarded' ? guardedHandler(endpoint, service) : layer.handle;
  const refuse = errorHandler(service);
  return (req, res, next) => {
    // As Express sets them.
    req.route = layer.route;
    req.params = {};
    handler(req, res, (error: unknown) => {
      try {
        refuse(error, req, res, next);
      } catch (failure) {
        next(failure);
      }
    });
  };
}

function mount(router: Router, { method, path, endpoint }: Route, tools: RouterTools): void {
  const mounted = router.route(path);
  // Mail scanners send HEAD before the user opens a link. Express would run the GET handler.
  if (endpoint.kind === 'redirect' && method === 'GET') mounted.head(preview);
  const verb = method.toLowerCase() as Lowercase<typeof method>;
  if (endpoint.kind === 'json') mounted[verb](jsonHandler(endpoint, method, tools));
  else if (endpoint.kind === 'redirect')
    mounted[verb](skipUnlessConfigured(endpoint, tools), redirectHandler(endpoint, method, tools));
  else mounted[verb](guardedHandler(endpoint, tools.service));
}

function jsonHandler(
  endpoint: JsonEndpoint,
  method: Route['method'],
  { service, readBody, freshMs, authorize }: RouterTools,
): RequestHandler {
  const { access, action, body: schema } = endpoint;
  return wrap(async (req, res) => {
    // A GET changes nothing, and browsers do not let a page of another site read its response.
    if (method !== 'GET') checkOriginOfCookies(service[internals], req);
    const target = { service, param: paramOf(req) };
    if (endpoint.setsSession) refuseUnsupported(service[internals], req);
    // Before anything is changed: the session that replaces this one would be refused afterwards.
    if (endpoint.setsSession && isBearerRequest(service[internals], req)) refuseUnproven(service, req);
    endpoint.requires?.(target);
    const caller = access === 'open' ? null : await authenticateCaller(service, req, res);
    if (endpoint.usesSession) await checkExpectedCookieUser(service, req);
    const rule: AdmissionRule = {
      access,
      freshMs,
      permission:
        action && ((session) => requirePermission(service, authorize, action, session, target.param('id'))),
      isExempt: async () =>
        caller !== null && (await endpoint.exemptFromReauth?.({ ...target, me: caller.me })) === true,
    };
    const read = schema && (() => readBody(req, res, schema()));
    const { check, body: sent } = await admit(service, req, caller, rule, read);
    const { body, choice } = endpoint.setsSession ? takeRemember(sent) : { body: sent, choice: {} };
    const context = { ...routeContext(service, req, caller?.token, check), ...choice };
    sendJson(res, await endpoint.handle({ ...target, req, res, body, context, ...caller }));
  });
}

async function authenticateCaller(
  service: Service,
  req: Request,
  res: Response,
): Promise<Pick<SignedInCall<unknown>, 'me' | 'session' | 'token'>> {
  const { session, token } = await authenticate(service, req, res);
  return { me: toServiceUser(session.user), session, token };
}

/** Leaves requests of an option that is off to the application, as if the route did not exist. */
function skipUnlessConfigured({ requires }: RedirectEndpoint, { service }: RouterTools): RequestHandler {
  return (req, _res, next) => {
    try {
      requires?.({ service, param: paramOf(req) });
    } catch {
      return next('route');
    }
    next();
  };
}

function redirectHandler(
  endpoint: RedirectEndpoint,
  method: Route['method'],
  { service, redirects, readForm }: RouterTools,
): RequestHandler {
  // After a POST the browser must continue with a GET (RFC 9110, 15.4.4).
  const status = method === 'GET' ? 302 : 303;
  return wrap(async (req, res) => {
    if (method === 'GET' && isPrefetch(req)) return void res.status(204).end();
    try {
      const result = await endpoint.handle({
        service,
        param: paramOf(req),
        req,
        res,
        context: { ...routeContext(service, req), ...rememberOfQuery(req) },
        redirects,
        readForm: () => readForm(req, res),
      });
      if (typeof result !== 'string') return sendPage(res, result);
      redirect(res, result, status);
    } catch (error) {
      if (endpoint.redirects === 'away') throw error;
      redirect(res, redirects.failure(toServiceError(error, req, service[internals])), status);
    }
  });
}

const preview = wrap(async (_req, res) => void res.status(200).end());

/** Responds behind `requireSession`, as one handler: Express passes a request from handler to handler. */
function guardedHandler(endpoint: GuardedEndpoint, service: Service): RequestHandler {
  // A page must learn who is signed in, to ask for the code that verifies the address.
  const guard = requireSession(service, { verified: false });
  return (req, res, next) => {
    guard(req, res, (error) => {
      if (error !== undefined) return next(error);
      setResponseHeaders(res);
      sendJson(res, endpoint.handle(req));
    });
  };
}

function paramOf({ params }: Request) {
  return (name: string): string => String(params[name] ?? '');
}

/** Passes a rejection to the error handler, which Express 4 does not do. */
function wrap(handler: (req: Request, res: Response) => Promise<void>): RequestHandler {
  const run = async (req: Request, res: Response) => {
    setResponseHeaders(res);
    await handler(req, res);
  };
  return (req, res, next) => void run(req, res).catch(next);
}
