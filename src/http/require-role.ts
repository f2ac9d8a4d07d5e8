/** The guard of routes that require a role in the application. */
import type { Service } from '../engine/service.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { optional, refuseOthers } from '../core/support/input.js';
import { checkService } from './check-service.js';
import type { Guard } from './guard.js';
import { requireSession, type OptionalSessionOptions } from './require-session.js';

/**
 * Returns a guard for users who have a role, as set with `service.users.update`; sets `req.user` as
 * `requireSession` does. Responds with 401 without a session, and with 403 `not_authorized` without
 * the role. The role is read with the session, without another query, so a change counts from the
 * next request on. The same as `requireSession(service, { role })`.
 * @throws ConfigError if the first argument is not a service; InvalidRequestError for an invalid
 * role or options.
 */
export function requireRole(service: Service, role: string, options: OptionalSessionOptions = {}): Guard {
  checkService(service, 'requireRole');
  const { tokenFrom, ...others } = optional(options);
  refuseOthers(others, 'is not an option of this guard');
  // A missing role must not become no requirement.
  if (typeof role !== 'string') throw new InvalidRequestError('role must be a string.');
  return requireSession(service, { role, tokenFrom });
}
