/** The routes of specification 4.1, as the specification lists them. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { loadExpress } from '../runtime/load.js';
import { optional } from '../kit/input.js';
import { errorHandler } from './error-handler.js';
import type { RedirectOptions } from './redirects.js';
import { createRouteTools } from './route-tools.js';
import { sendEmailCode, verifyEmailCode } from './routes/email-code.js';
import {
  identityProviderCallback,
  startIdentityProvider,
  type ProviderOf,
} from './routes/identity-provider.js';
import { preview, sendMagicLink, verifyMagicLink } from './routes/magic-link.js';
import { login, requestReset, reset, signup } from './routes/password.js';
import { currentSession, logout } from './routes/session.js';

export type AuthRouterOptions = RedirectOptions;

const google: ProviderOf = (service) => service.google;

/**
 * The routes of a service, to be mounted: `app.use('/api/auth', createAuthRouter(service))`. Needs no body parser and no
 * cookie parser, and gets along with both.
 * @throws ConfigError for a redirect target that is neither a path nor an http(s) URL; InvalidRequestError for options that
 * are no object.
 */
export function createAuthRouter(service: Service, options: AuthRouterOptions = {}): Router {
  const tools = createRouteTools(service, optional(options));
  const router = loadExpress().Router();
  // The one that every page calls comes first: a router tries its routes in order.
  router.get('/session', currentSession(tools));
  router.post('/email-code/send', sendEmailCode(tools));
  router.post('/email-code/verify', verifyEmailCode(tools));
  router.post('/magic-link/send', sendMagicLink(tools));
  router.head('/magic-link/verify', preview());
  router.get('/magic-link/verify', verifyMagicLink(tools));
  router.post('/password/signup', signup(tools));
  router.post('/password/login', login(tools));
  router.post('/password/request-reset', requestReset(tools));
  router.post('/password/reset', reset(tools));
  router.head(['/google/start', '/google/callback', '/idp/start', '/idp/callback'], preview());
  router.get(['/google/start', '/idp/start'], startIdentityProvider(tools, google));
  router.get(['/google/callback', '/idp/callback'], identityProviderCallback(tools, google));
  router.post('/logout', logout(tools));
  router.use(errorHandler(service));
  return router;
}
