/** What the routes answer, held against what the OpenAPI document says of them: every field and no other, every code. */
import { openapiDocument, type ServiceErrorCode } from 'svc-auth';
import { describingTools } from '../../src/http/endpoint-tools.js';
import { statusOf } from '../../src/http/error-handler.js';
import { codesOf } from '../../src/http/openapi/codes.js';
import { listRoutes } from '../../src/http/openapi/document.js';

const document = openapiDocument();

export const describedRoutes = listRoutes(describingTools()).map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
}));

/** @param path below the place of the routers; what is no route of theirs is nobody's business here. */
export function checkDescribed(
  method: string,
  path: string,
  { status, json }: { status: number; json: unknown },
): void {
  const at = path.replace(/\?.*$/, '');
  const route = describedRoutes.find((each) => each.method === method.toLowerCase() && each.pattern.test(at));
  if (!route) return;
  if (status >= 400) {
    const { error } = json as { error: ServiceErrorCode };
    expect(status).toBe(statusOf[error]);
    expect({ [`${method} ${at}`]: codesOf(route) }).toEqual({
      [`${method} ${at}`]: expect.arrayContaining([error]),
    });
  } else if (route.answer) {
    expect(status).toBe(200);
    // zod leaves out what it does not know: a field that nobody described shows.
    expect(route.answer.parse(json)).toEqual(json);
  } else {
    const { responses } = document.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method]!;
    expect(Object.keys(responses)).toContain(String(status));
  }
}
