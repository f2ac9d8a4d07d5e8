/** Every route, listed from the routers themselves so that a new route is attacked from the start, and the bodies that they accept. */
import * as z from 'zod';
import { documentedRoutes } from './documented-responses.js';
import type { HttpResponse } from './http-client.js';
import type { Site } from './http-site.js';
import { unknownId } from './make-pro-service.js';

export interface Route {
  /** `POST /devices/revoke-others`. */
  name: string;
  method: string;
  /** With unknown ids for its parameters. */
  path: string;
  access: string;
  redirects?: 'away' | 'back' | undefined;
  parameters: string[];
  /** JSON Schema of the body, if the route takes one. */
  schema?: Schema | undefined;
  pathWith: (value: string) => string;
}

export interface Schema {
  type?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
}

/** Without the form of the page that `magicLink.confirmElsewhere` shows: as long as the option is off, the route does not exist. */
const routes = documentedRoutes.filter(({ name }) => name !== 'magicLink.confirmPage');

export const everyRoute: Route[] = routes.map(({ method, path, access, redirects, body }) => ({
  name: `${method.toUpperCase()} ${path}`,
  method: method.toUpperCase(),
  path: path.replace(':name', 'acme').replace(/:\w+/g, unknownId),
  access,
  redirects,
  parameters: [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!),
  schema: body && (z.toJSONSchema(body(), { io: 'input' }) as Schema),
  pathWith: (value) => path.replace(/:\w+/g, value),
}));

/** Returns bodies that a route accepts, one per alternative of its schema. `valueOf` provides every string in them. */
export function bodiesOf(schema: Schema, valueOf: (name: string) => unknown = () => 'text'): object[] {
  return (schema.anyOf ?? [schema]).map((each) => sample(each, '', valueOf) as object);
}

function sample(schema: Schema, name: string, valueOf: (name: string) => unknown): unknown {
  const { type, properties = {}, format, anyOf } = schema;
  if (anyOf) return sample(anyOf[0]!, name, valueOf);
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries(properties).map(([key, each]) => [key, sample(each, key, valueOf)]),
    );
  }
  if (type === 'array') return [];
  return format === 'date-time' ? '2199-01-01T00:00:00Z' : valueOf(name);
}

export interface Field {
  path: string[];
  kind: 'text' | 'list' | 'object';
}

/** Returns every field of a body, including those of alternatives and nested objects. */
export function fieldsOf({ anyOf, properties = {} }: Schema, above: string[] = []): Field[] {
  if (anyOf) return anyOf.flatMap((each) => fieldsOf(each, above));
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...above, name];
    const kind = schema.type === 'array' ? 'list' : schema.type === 'object' ? 'object' : 'text';
    return [{ path, kind } as const, ...fieldsOf(schema, path)];
  });
}

/** Returns the body with another value for one field. */
export function withField(body: object, [name = '', ...below]: string[], value: unknown): object {
  const present = (body as Record<string, unknown>)[name];
  return { ...body, [name]: below.length > 0 ? withField(present ?? {}, below, value) : value };
}

/** Calls a route with a body that it accepts, or with `body`. */
export function callRoute(
  site: Site,
  route: Route,
  options: Parameters<Site['send']>[3] = {},
  body: unknown = route.schema && bodiesOf(route.schema)[0],
): Promise<HttpResponse> {
  return site.send(route.method, route.path, body, options);
}
