/** The guard of routes that belong to an organisation (Pro). */
import type { Request } from 'express';
import { parseRole, type OrgRole } from '../domain/org.js';
import type { Service } from '../engine/service.js';
import { InvalidRequestError, NotAuthorizedError } from '../errors/catalog.js';
import { checkInput } from '../kit/input.js';
import { internals } from '../kit/internals.js';
import { sendError, toServiceError } from './error-handler.js';
import { settle, type Guard } from './guard.js';
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
 * such an organisation.
 * @throws OrgError for what is no role; InvalidRequestError.
 */
export function requireOrgRole(service: Service, options: RequireOrgRoleOptions): Guard {
  // At once and not at the first request: a guard with a typing error in it guards nothing.
  checkInput(options, 'The options of requireOrgRole');
  const { min, org } = options;
  const least = parseRole(min);
  if (typeof org !== 'function') throw new InvalidRequestError('org must be a function of the request.');
  const session = requireSession(service);
  const authorize = async (req: Request) => {
    const { orgs } = service;
    const orgId = org(req);
    if (typeof orgId !== 'string' || !req.user) throw new NotAuthorizedError();
    await orgs.assertRole(orgId, req.user.id, least);
  };
  return (req, res, next) =>
    session(req, res, (error?: unknown) =>
      error === undefined
        ? settle(res, next, authorize(req), (refusal) =>
            sendError(res, toServiceError(refusal, req, service[internals].logger)),
          )
        : next(error),
    );
}
