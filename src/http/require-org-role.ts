/** The guard of routes that belong to an organisation (Pro). */
import type { Request, RequestHandler } from 'express';
import type { OrgRole } from '../domain/org.js';
import type { Service } from '../engine/service.js';
import { NotAuthorizedError } from '../errors/catalog.js';
import { internals } from '../kit/internals.js';
import { sendError, toServiceError } from './error-handler.js';
import { requireSession } from './require-session.js';

export interface RequireOrgRoleOptions {
  /** The least role that is let through. */
  min: OrgRole;
  /** The organisation a request is about: `(req) => req.params.orgId`. */
  org: (req: Request) => string | undefined;
}

/**
 * Lets signed-in users through who hold at least `min` in the organisation of the request, with `req.user` as behind
 * `requireSession`. Answers 401 without a session and 403 `not_authorized` without the role, whether or not there is
 * such an organisation.
 */
export function requireOrgRole(service: Service, { min, org }: RequireOrgRoleOptions): RequestHandler {
  const session = requireSession(service);
  const authorize = async (req: Request) => {
    const { orgs } = service;
    const orgId = org(req);
    if (typeof orgId !== 'string' || !req.user) throw new NotAuthorizedError();
    await orgs.assertRole(orgId, req.user.id, min);
  };
  return (req, res, next) => {
    const checkRole = () => {
      authorize(req).then(
        () => next(),
        (error: unknown) => sendError(res, toServiceError(error, req, service[internals].logger)),
      );
    };
    void session(req, res, checkRole);
  };
}
