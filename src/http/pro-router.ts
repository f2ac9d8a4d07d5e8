/** The routes of the Pro tier, beside those of `createAuthRouter`. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { optional } from '../kit/input.js';
import { loadExpress } from '../runtime/load.js';
import { mount, type Endpoint, type RouteDescription } from './endpoint.js';
import { createEndpointTools, type EndpointTools } from './endpoint-tools.js';
import { errorHandler } from './error-handler.js';
import type { RedirectOptions } from './redirects.js';
import { createBodyReader } from './request-body.js';
import { deviceEndpoints } from './routes/pro/devices.js';
import { mfaEndpoints } from './routes/pro/mfa.js';
import { passkeyEndpoints } from './routes/pro/passkeys.js';
import { totpEndpoints } from './routes/pro/totp.js';

export interface ProRouterOptions extends RedirectOptions {
  /** How long a sign-in counts as fresh, for what a forgotten session must not change. Milliseconds; default 600000. */
  freshMs?: number;
}

/** Every JSON endpoint of the Pro tier, as `docs/http-api.md` lists them. */
export function proEndpoints(tools: EndpointTools): Endpoint[] {
  return [
    ...mfaEndpoints(tools),
    ...totpEndpoints(tools),
    ...passkeyEndpoints(tools),
    ...deviceEndpoints(tools),
  ];
}

/** All of them, with those that have handlers of their own, for the OpenAPI document. */
export function proRoutes(tools: EndpointTools): RouteDescription[] {
  return [...proEndpoints(tools)];
}

/**
 * The routes of every configured Pro provider, to be mounted beside the others:
 * `app.use('/api/auth', createAuthRouter(service), createProRouter(service))`. Whoever calls acts on themselves.
 */
export function createProRouter(service: Service, options: ProRouterOptions = {}): Router {
  const { freshMs = 10 * 60_000 } = optional(options);
  const router = loadExpress().Router();
  mount(router, proEndpoints(createEndpointTools(service)), { service, read: createBodyReader(), freshMs });
  router.use(errorHandler(service));
  return router;
}
