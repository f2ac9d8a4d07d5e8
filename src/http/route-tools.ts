/** What the redirecting routes are made of: the service, and where they lead. */
import type { Service } from '../engine/service.js';
import { createRedirects, type RedirectOptions, type Redirects } from './redirects.js';

export interface RouteTools {
  readonly service: Service;
  readonly redirects: Redirects;
}

export function createRouteTools(service: Service, options: RedirectOptions): RouteTools {
  return { service, redirects: createRedirects(options) };
}
