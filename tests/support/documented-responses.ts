/** Compares responses of the routes with the OpenAPI document: the exact set of fields, and the error codes. */
import { openapiDocument, type ServiceErrorCode } from 'svc-auth';
import { statusOf } from '../../src/http/error-handler.js';
import { codesOf } from '../../src/http/openapi/codes.js';
import { listRoutes } from '../../src/http/openapi/list-routes.js';

const document = openapiDocument();

export const documentedRoutes = listRoutes().map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
}));

/** Ignores paths that are not routes. @param path relative to the routers. */
export function checkDocumented(
  method: string,
  path: string,
  { status, json }: { status: number; json: unknown },
): void {
  const at = path.replace(/\?.*$/, '');
  const route = documentedRoutes.find(
    (each) => each.method === method.toLowerCase() && each.pattern.test(at),
  );
  if (!route) return;
  if (status >= 400) {
    const { error } = json as { error: ServiceErrorCode };
    expect(status).toBe(statusOf(error));
    expect({ [`${method} ${at}`]: codesOf(route) }).toEqual({
      [`${method} ${at}`]: expect.arrayContaining([error]),
    });
  } else if (route.response) {
    expect(status).toBe(200);
    // zod drops unknown fields, so a field that the schema lacks makes the comparison fail.
    expect(route.response().parse(json)).toEqual(json);
  } else {
    const { responses } = document.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method]!;
    expect(Object.keys(responses)).toContain(String(status));
  }
}
