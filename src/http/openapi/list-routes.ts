/** The tables of the routers as one list. */
import { adminRoutes } from '../admin-router.js';
import type { EndpointDescription } from '../endpoint.js';
import { proRoutes } from '../pro-router.js';
import type { Route } from '../route.js';
import { freeRoutes } from '../router.js';

/** A route at one address, with the properties of its endpoint. */
export interface ListedRoute extends EndpointDescription {
  method: Lowercase<Route['method']>;
  /** In Express syntax: `/devices/:id`. */
  path: string;
  pro: boolean;
}

/** The actions of admin routes that need an option of the service. */
const ofOptions: ReadonlySet<string> = new Set(['audit.list', 'statistics.read']);

/** Returns every route of the routers, in the order of the tables. */
export function listRoutes(): ListedRoute[] {
  return [
    ...freeRoutes.flatMap(listed(() => false)),
    ...proRoutes.flatMap(listed(() => true)),
    // Those that need a provider of the Pro tier say so; options are free.
    ...adminRoutes.flatMap(
      listed(({ action, requires }) => requires !== undefined && !ofOptions.has(String(action))),
    ),
  ];
}

function listed(isPro: (endpoint: EndpointDescription) => boolean) {
  return ({ method, path, endpoint }: Route): ListedRoute[] =>
    [path].flat().map((address) => ({
      ...endpoint,
      method: method.toLowerCase() as ListedRoute['method'],
      path: address,
      pro: isPro(endpoint),
    }));
}
