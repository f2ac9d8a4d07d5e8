/** The guard of routes that belong to an organization (Pro). */
import type { Request } from 'express';
import type { OrgRole } from '../domain/org.js';
import type { Service } from '../engine/service.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { checkInput, refuseOthers } from '../core/support/input.js';
import { checkService } from './check-service.js';
import type { Guard } from './guard.js';
import { requireSession } from './require-session.js';
import type { TokenFrom } from './token-from.js';

export interface RequireOrgRoleOptions {
  /** The lowest role that is allowed. */
  min: OrgRole;
  /**
   * Returns the organization of a request: `(req) => req.params.orgId`. A list, which Express
   * returns for a wildcard, is refused.
   */
  org: (req: Request) => string | string[] | undefined;
  /** As for `requireSession`. */
  tokenFrom?: TokenFrom;
}

/**
 * Returns a guard for users who have at least the role `min` in the organization of the request;
 * sets `req.user` as `requireSession` does. Responds with 401 without a session, and with 403
 * `not_authorized` without the role, whether or not the organization exists. The same as
 * `requireSession(service, { org: { min, id } })`.
 * @throws ConfigError if the first argument is not a service; OrgError if `min` is not a role;
 * InvalidRequestError for other invalid options.
 */
export function requireOrgRole(service: Service, options: RequireOrgRoleOptions): Guard {
  checkService(service, 'requireOrgRole');
  checkInput(options, 'The options of requireOrgRole');
  const { min, org, tokenFrom, ...others } = options;
  refuseOthers(others, 'is not an option of this guard');
  if (typeof org !== 'function') throw new InvalidRequestError('org must be a function of the request.');
  return requireSession(service, { org: { min, id: org }, tokenFrom });
}
