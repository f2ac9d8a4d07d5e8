/** Which errors a route may answer: those that it names, and those of every route of its kind. */
import type { ServiceErrorCode } from '../../errors/service-error.js';
import type { Endpoint, RouteDescription } from '../endpoint.js';
import { statusOf } from '../error-handler.js';
import { pathParameters } from './operation-name.js';

/** A route, and whether it is of the Pro tier. */
export interface ListedRoute extends RouteDescription {
  pro: boolean;
}

/** In the order of the catalogue. */
export function codesOf(route: ListedRoute): ServiceErrorCode[] {
  const hasParameters = pathParameters(route.path).length > 0;
  // Whatever goes wrong ends at the failure target, but where Express cannot decode the path and asks no route.
  if (route.redirects === 'back') return when(hasParameters, 'invalid_request');
  const { access, body, errors = [], method, pro, setsSession = false } = route;
  const isOfAMethod = pro || route.redirects === 'away' || 'needs' in (route as Partial<Endpoint>);
  const codes = new Set<ServiceErrorCode>([
    ...errors,
    // A page of another site; who acts in somebody's place, where that is not for them.
    ...when(method !== 'get' || (access !== 'open' && access !== 'session'), 'not_authorized'),
    // A parameter of the path that cannot be decoded, or names nothing that there could be.
    ...when(body !== undefined || hasParameters, 'invalid_request'),
    // No session; or, at a sign-in, everything of the user was revoked while it was under way.
    ...when(access !== 'open' || setsSession, 'token_invalid'),
    ...when(access === 'fresh', 'reauth_required'),
    ...when(takesShownUser(route), 'session_changed'),
    ...when(isOfAMethod, 'provider_not_configured'),
    ...when(pro, 'license_required'),
    'internal_error',
  ]);
  return (Object.keys(statusOf) as ServiceErrorCode[]).filter((code) => codes.has(code));
}

/** Whether a request may say which user its page shows, and is refused if another one is signed in. */
export function takesShownUser({ access, method }: RouteDescription): boolean {
  return access !== 'open' && method !== 'get';
}

function when(holds: boolean, code: ServiceErrorCode): ServiceErrorCode[] {
  return holds ? [code] : [];
}
