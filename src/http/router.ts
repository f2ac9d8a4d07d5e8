/** The routes of specification 4.1, as the specification lists them. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { loadExpress } from '../runtime/load.js';
import { optional } from '../kit/input.js';
import { checkService } from './check-service.js';
import { mount, type Endpoint, type RouteDescription } from './endpoint.js';
import { createEndpointTools, type EndpointTools } from './endpoint-tools.js';
import { errorHandler } from './error-handler.js';
import type { RedirectOptions } from './redirects.js';
import { passOptions } from './pass-options.js';
import { createBodyReader } from './request-body.js';
import { createRouteTools } from './route-tools.js';
import { emailCodeEndpoints } from './routes/email-code.js';
import {
  describeIdentityProvider,
  identityProviderCallback,
  startIdentityProvider,
  type ProviderOf,
} from './routes/identity-provider.js';
import { describeMagicLink, magicLinkEndpoints, preview, verifyMagicLink } from './routes/magic-link.js';
import { passwordEndpoints } from './routes/password.js';
import { currentSession, describeCurrentSession, sessionEndpoints } from './routes/session.js';

export type AuthRouterOptions = RedirectOptions;

const google: ProviderOf = (service) => service.google;

/** Every JSON endpoint of the free tier but `GET /session`. */
export function freeEndpoints(tools: EndpointTools): Endpoint[] {
  return [
    ...emailCodeEndpoints(tools),
    ...magicLinkEndpoints(tools),
    ...passwordEndpoints(tools),
    ...sessionEndpoints(tools),
  ];
}

/** All of them, with those that have handlers of their own, for the OpenAPI document. */
export function freeRoutes(tools: EndpointTools): RouteDescription[] {
  return [
    describeCurrentSession(tools),
    ...freeEndpoints(tools),
    ...describeMagicLink(tools),
    ...describeIdentityProvider(tools, '/google'),
    ...describeIdentityProvider(tools, '/idp'),
  ];
}

/**
 * The routes of a service, to be mounted: `app.use('/api/auth', createAuthRouter(service))`. Needs no body parser and no
 * cookie parser, and gets along with both.
 * @throws ConfigError without a service, and for a redirect target that is neither a path nor an http(s) URL; InvalidRequestError
 * for options that are no object.
 */
export function createAuthRouter(service: Service, options: AuthRouterOptions = {}): Router {
  checkService(service, 'createAuthRouter');
  const tools = createRouteTools(service, optional(options));
  const router = loadExpress().Router();
  router.use(passOptions);
  // The one that every page calls comes first: a router tries its routes in order.
  router.get('/session', currentSession(service));
  // None of them asks for a fresh sign-in.
  mount(router, freeEndpoints(createEndpointTools(service)), {
    service,
    read: createBodyReader(),
    freshMs: 0,
  });
  router.head('/magic-link/verify', preview());
  router.get('/magic-link/verify', verifyMagicLink(tools));
  router.head(['/google/start', '/google/callback', '/idp/start', '/idp/callback'], preview());
  router.get(['/google/start', '/idp/start'], startIdentityProvider(tools, google));
  router.get(['/google/callback', '/idp/callback'], identityProviderCallback(tools, google));
  router.use(errorHandler(service));
  return router;
}
