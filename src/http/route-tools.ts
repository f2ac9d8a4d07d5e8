/** What the routes are made of: the service, the body reader, the request schemas, the redirect targets. */
import type { Service } from '../engine/service.js';
import { loadZod } from '../runtime/load.js';
import { createRedirects, type RedirectOptions, type Redirects } from './redirects.js';
import { createBodyReader, type BodyReader } from './request-body.js';
import { requestSchemas, type RequestSchemas } from './request-schemas.js';

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
