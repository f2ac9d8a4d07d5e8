/** A line in the table of a router. */
import type { Endpoint } from './endpoint.js';

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In Express syntax: `/devices/:id`. A list if the endpoint has several addresses. */
  path: string | string[];
  endpoint: Endpoint;
}

export function route(method: Route['method'], path: Route['path'], endpoint: Endpoint): Route {
  return { method, path, endpoint };
}
