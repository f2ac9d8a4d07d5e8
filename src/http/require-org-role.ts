/** The guard of routes that belong to an organisation (Pro). */
import type { Request } from 'express';
import type { OrgRole } from '../domain/org.js';
import type { Service } from '../engine/service.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { checkInput, refuseOthers } from '../kit/input.js';
import { checkService } from './check-service.js';
import type { Guard } from './guard.js';
import { requireSession } from './require-session.js';

export interface RequireOrgRoleOptions {
  /** The least role that is let through. */
  min: OrgRole;
  /** The organisation a request is about: `(req) => req.params.orgId`. A list, as a wildcard gives one, is none. */
  org: (req: Request) => string | string[] | undefined;
}

/**
 * Lets signed-in users through who hold at least `min` in the organisation of the request, with `req.user` as behind
 * `requireSession`. Answers 401 without a session and 403 `not_authorized` without the role, whether or not there is
 * such an organisation. The same as `requireSession(service, { org: { min, id } })`.
 * @throws ConfigError without a service; OrgError for what is no role; InvalidRequestError.
 */
export function requireOrgRole(service: Service, options: RequireOrgRoleOptions): Guard {
  checkService(service, 'requireOrgRole');
  checkInput(options, 'The options of requireOrgRole');
  const { min, org, ...others } = options;
  refuseOthers(others, 'is no option of this guard');
  if (typeof org !== 'function') throw new InvalidRequestError('org must be a function of the request.');
  return requireSession(service, { org: { min, id: org } });
}
