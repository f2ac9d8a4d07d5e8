/** The name of an operation, which is also the client's method: `emailCode.send`. */
import type { ListedRoute } from './list-routes.js';

type Named = Pick<ListedRoute, 'method' | 'path' | 'name' | 'action'>;

/**
 * Returns the name of the endpoint, `admin.` and its action, or derives one from method and path:
 * - `GET /orgs/:id/members` is `orgs.members.list`.
 * - `DELETE /orgs/:id/members/:userId` is `orgs.members.remove`.
 * - `POST /orgs/:id/invites` is `orgs.invites.create`.
 * - `POST /token/refresh` is `token.refresh`.
 */
export function operationName({ method, path, name, action }: Named): string {
  if (name !== undefined) return name;
  if (action !== undefined) return `admin.${action}`;
  const segments = path.split('/').filter((segment) => segment !== '');
  const words = segments.filter((segment) => !segment.startsWith(':')).map(camelCase);
  const isOne = segments.at(-1)?.startsWith(':') ?? false;
  const isPlural = !isOne && /s$/.test(words.at(-1) ?? '');
  const isPart = segments.at(-2)?.startsWith(':') ?? false;
  const verbs = {
    get: isPlural ? 'list' : isOne || words.length === 1 ? 'get' : '',
    post: words.length === 1 || isOne || (isPart && isPlural) ? 'create' : '',
    put: 'update',
    patch: 'update',
    delete: 'remove',
  };
  return [...words, verbs[method]].filter((word) => word !== '').join('.');
}

export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => parameter);
}

function camelCase(segment: string): string {
  return segment.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
