/** What the routes are made of: the service, the body reader, the request schemas, the redirect targets. */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { internals } from '../kit/internals.js';
import type { SignInResult } from '../kit/sign-in.js';
import { loadZod } from '../runtime/load.js';
import { createRedirects, type RedirectOptions, type Redirects } from './redirects.js';
import { createBodyReader, type BodyReader } from './request-body.js';
import { requestSchemas, type RequestSchemas } from './request-schemas.js';
import { sendJson } from './route.js';
import { setSessionCookie } from './session-cookie.js';

export interface RouteTools {
  readonly service: Service;
  readonly read: BodyReader;
  readonly schemas: RequestSchemas;
  readonly redirects: Redirects;
}

export function createRouteTools(service: Service, options: RedirectOptions): RouteTools {
  return {
    service,
    read: createBodyReader(),
    schemas: requestSchemas(loadZod()),
    redirects: createRedirects(options),
  };
}

/** Sets the cookie of a sign-in and answers; the token itself is in no body. */
export function answerSignIn(
  service: Service,
  req: Request,
  res: Response,
  result: SignInResult,
  body: object,
): void {
  if (result.session) setSessionCookie(service[internals], req, res, result.session);
  sendJson(res, body);
}
