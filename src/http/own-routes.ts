/**
 * For the application's own routes: error handler, origin check and sign-in, so that they need no
 * security code.
 */
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import type { Service } from '../engine/service.js';
import { ConfigError, InternalError, InvalidRequestError, MfaRequiredError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import type { RequestContext } from '../core/sessions/request-context.js';
import type { ChangedUser, SignInResult } from '../core/sessions/sign-in-result.js';
import { isBearerRequest } from './bearer-session.js';
import { checkService } from './check-service.js';
import { sendError, toServiceError } from './error-handler.js';
import type { Guard } from './guard.js';
import { refuseUnproven } from './key-proofs.js';
import { checkOriginUnlessSafe } from './origin-check.js';
import { refusalOfParser } from './request-body.js';
import { signInContext as contextOf } from './request-context.js';
import { sendJson, setResponseHeaders } from './respond.js';
import { startBrowserSession, continueSession } from './signed-in.js';

/**
 * Returns an Express error handler that responds to every `ServiceError` with the same status and
 * JSON body as the routes, and to a body that Express's parsers refuse with 400 `invalid_request`.
 * Passes other errors to the next error handler, and every error if the response has begun. Mount
 * it after your routes.
 * @throws ConfigError if the first argument is not a service.
 */
export function serviceErrorHandler(service: Service): ErrorRequestHandler {
  checkService(service, 'serviceErrorHandler');
  return (error, req, res, next) => {
    const refusal = refusalOfParser(error);
    const translated: unknown = refusal ? new InvalidRequestError(undefined, refusal) : error;
    if (res.headersSent || !isServiceError(translated)) return next(error);
    sendError(res, toServiceError(translated, req, service[internals]));
  };
}

/**
 * Returns a middleware that refuses requests of pages of another site with 403 `not_authorized`, as
 * the routes do. GET, HEAD and OPTIONS pass. Mount it before each of your routes that changes
 * something for the user of the session cookie.
 * @throws ConfigError if the first argument is not a service.
 */
export function sameOrigin(service: Service): Guard {
  checkService(service, 'sameOrigin');
  return (req, res, next) => {
    try {
      checkOriginUnlessSafe(service[internals], req);
    } catch (error) {
      return sendError(res, toServiceError(error, req, service[internals]));
    }
    next();
  };
}

/**
 * Returns the context of a request for a sign-in, or for a change of the signed-in user's account:
 * client address, user agent and session, with `startSession`. Pass the result of the sign-in to
 * `signInResponse`.
 * @throws ConfigError if the first argument is not a service; TokenInvalidError for a client without cookies whose proof of a key is
 * invalid, or missing although `session.bearer.dpop` requires it.
 */
export function signInContext(service: Service, req: Request): RequestContext {
  checkService(service, 'signInContext');
  // As the routes do, before anything is changed: the session would be refused afterwards, and a code that was used up.
  if (isBearerRequest(service[internals], req)) refuseUnproven(service, req);
  const { token, claims } = req.svcAuth ?? {};
  // The epoch that the guard has checked: a change is refused if all sessions were revoked since
  // then.
  const sessionEpoch = claims?.epoch;
  return { ...contextOf(service, req, token), ...(sessionEpoch !== undefined && { sessionEpoch }) };
}

/**
 * Responds to a sign-in as the routes do: sets the session cookie and sends `{ user, created }`. If
 * the account has a second factor, sets `svc_mfa` and sends 403 `mfa_required`; `POST /mfa/verify`
 * completes the sign-in. After a change of an account, such as `changePassword`, sends `{ user }`,
 * and sets the cookie if there is a new session.
 * @param result the result of a method that was called with `signInContext(service, req)`.
 * @throws ConfigError if the first argument is not a service; InternalError if the result of a
 * sign-in has neither a session nor a pending sign-in.
 */
export function signInResponse(
  service: Service,
  req: Request,
  res: Response,
  result: SignInResult | ChangedUser,
): void {
  checkService(service, 'signInResponse');
  setResponseHeaders(res);
  if (!('created' in result)) return sendJson(res, continueSession(service, req, res, result));
  if (!result.session && !result.bearer && !result.pending) {
    throw new InternalError(
      new Error('The context of the sign-in must have startSession: use signInContext().'),
    );
  }
  try {
    sendJson(res, { ...startBrowserSession(service, req, res, result), created: result.created });
  } catch (error) {
    if (!(error instanceof MfaRequiredError)) throw error;
    sendError(res, toServiceError(error, req, service[internals]));
  }
}

/**
 * Returns a route handler that passes a rejection of `handler` to the error handlers. Express 5
 * does so by itself; with Express 4 an unhandled rejection ends the process.
 * @throws ConfigError if `handler` is not a function.
 */
export function asyncRoute<P = Request['params']>(
  handler: (req: Request<P>, res: Response, next: NextFunction) => unknown,
): RequestHandler<P> {
  if (typeof handler !== 'function') {
    throw new ConfigError([{ path: 'asyncRoute(handler)', message: 'must be a function' }]);
  }
  return (req, res, next) => {
    Promise.resolve()
      .then(() => handler(req, res, next))
      // `next()` without an error, or with 'route' or 'router', would call another handler.
      .catch((error: unknown) => next(isError(error) ? error : new InternalError(error)));
  };
}

/** Returns whether Express treats the value as an error. */
function isError(value: unknown): boolean {
  return Boolean(value) && value !== 'route' && value !== 'router';
}
