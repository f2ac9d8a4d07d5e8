/** The possible errors of a route: those that its endpoint lists, and those of similar routes. */
import { errorCodes, type ServiceErrorCode } from '../../errors/service-error.js';
import type { ListedRoute } from './list-routes.js';
import { pathParameters } from './operation-name.js';

/** Returns the codes in the order of the error catalog. */
export function codesOf(route: ListedRoute): ServiceErrorCode[] {
  const hasParameters = pathParameters(route.path).length > 0;
  // Every error redirects, except for a path that Express cannot decode: it does not call the
  // route.
  if (route.redirects === 'back') return codeIf(hasParameters, 'invalid_request');
  const { access, action, body, errors = [], method, pro, requires, setsSession = false } = route;
  const codes = new Set<ServiceErrorCode>([
    ...errors,
    // The origin check; the check for impersonation.
    ...codeIf(method !== 'get' || (access !== 'open' && access !== 'session'), 'not_authorized'),
    // A malformed body; a path parameter that cannot be decoded or is not a valid id.
    ...codeIf(body !== undefined || hasParameters, 'invalid_request'),
    // No session; or everything of the user was revoked during a sign-in.
    ...codeIf(access !== 'open' || setsSession, 'token_invalid'),
    ...codeIf(access === 'recent', 'reauth_required'),
    ...codeIf(acceptsShownUser(route), 'session_changed'),
    ...codeIf(pro || route.redirects === 'away' || requires !== undefined, 'provider_not_configured'),
    ...codeIf(pro, 'license_required'),
    ...codeIf(action !== undefined, 'adapter_capability'),
    'internal_error',
  ]);
  return (Object.keys(errorCodes) as ServiceErrorCode[]).filter((code) => codes.has(code));
}

/**
 * Returns whether a request may name the user whom its page shows, and is refused if another user
 * is signed in.
 */
export function acceptsShownUser({ access, method, usesSession = false }: ListedRoute): boolean {
  return (access !== 'open' || usesSession) && method !== 'get';
}

function codeIf(condition: boolean, code: ServiceErrorCode): ServiceErrorCode[] {
  return condition ? [code] : [];
}
