/** What a session must be, beside live: how fresh, how strong, whose. */
import type { Request } from 'express';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { parseRole, type OrgRole } from '../domain/org.js';
import type { Service } from '../engine/service.js';
import {
  InvalidRequestError,
  MfaRequiredError,
  NotAuthorizedError,
  ReauthRequiredError,
} from '../errors/catalog.js';
import { checkInput, checkMilliseconds, refuseOthers } from '../kit/input.js';
import { internals } from '../kit/internals.js';
import { usedTwoFactors } from '../kit/session-tokens.js';
import type { LiveSession } from '../kit/sessions.js';
import { because } from './refusal.js';

export interface SessionRequirements {
  /** The sign-in must be no older than this many milliseconds: 403 `reauth_required` otherwise, and for impersonations `not_authorized`. */
  maxAgeMs?: number;
  /** It must have used two factors, or a passkey that checked its holder: 403 `mfa_required` otherwise. */
  mfa?: boolean;
  /** The user must hold a role in the organisation of the request (Pro): 403 `not_authorized` otherwise. */
  org?: OrgRequirement;
}

export interface OrgRequirement {
  /** The least role that is let through. */
  min: OrgRole;
  /** The organisation a request is about: `(req) => req.params.orgId`. A list, as a wildcard gives one, is none. */
  id: (req: Request) => string | string[] | undefined;
}

type Requirement = (req: Request, live: LiveSession) => Promise<void>;

/**
 * The checks that these make, or undefined where there are none. Options are judged here, when a guard is made: one with a
 * typing error in it guards nothing. @throws InvalidRequestError, OrgError.
 */
export function requirementOf(
  service: Service,
  { maxAgeMs, mfa, org, ...others }: SessionRequirements,
): Requirement | undefined {
  refuseOthers(others, 'is no requirement of a session');
  const needsMfa = parseFlag(mfa, 'mfa');
  if (maxAgeMs !== undefined) checkMilliseconds(maxAgeMs, 'maxAgeMs');
  const checkRole = org === undefined ? undefined : roleCheck(service, org);
  if (maxAgeMs === undefined && !needsMfa && !checkRole) return undefined;
  return async (req, live) => {
    if (needsMfa) requireTwoFactors(live.claims);
    if (maxAgeMs !== undefined) requireFresh(live, service[internals].clock() - maxAgeMs);
    await checkRole?.(req, live);
  };
}

/** As `requirementOf`, for what a token alone can show. @throws InvalidRequestError */
export function tokenRequirementOf({ mfa, ...others }: SessionRequirements): (claims: SessionClaims) => void {
  refuseOthers(others, 'cannot be told from a token alone: leave stateless out');
  const needsMfa = parseFlag(mfa, 'mfa');
  return (claims) => {
    if (needsMfa) requireTwoFactors(claims);
  };
}

/** @throws NotAuthorizedError for who acts in somebody's place. */
export function requireInPerson({ claims }: LiveSession): void {
  if (claims.act) throw new NotAuthorizedError(because('impersonation'));
}

/** @throws NotAuthorizedError for who acts in somebody's place; ReauthRequiredError for a sign-in before `since`. */
export function requireFresh(session: LiveSession, since: number): void {
  requireInPerson(session);
  // A time that is none is no fresh one.
  if (!(session.signedInAt.getTime() >= since)) throw new ReauthRequiredError();
}

function requireTwoFactors(claims: SessionClaims): void {
  if (!usedTwoFactors(claims)) throw new MfaRequiredError();
}

function roleCheck(service: Service, requirement: OrgRequirement): Requirement {
  checkInput(requirement, 'org');
  const { min, id } = requirement;
  const least = parseRole(min);
  if (typeof id !== 'function') throw new InvalidRequestError('org.id must be a function of the request.');
  return async (req, { user }) => {
    const { orgs } = service;
    const orgId = id(req);
    if (typeof orgId !== 'string') throw new NotAuthorizedError(because('organization_missing'));
    await orgs.assertRole(orgId, user.id, least);
  };
}

/** A text such as 'false' would be as good as true. @throws InvalidRequestError */
export function parseFlag(flag: unknown, name: string): boolean {
  if (flag === undefined || typeof flag === 'boolean') return flag === true;
  throw new InvalidRequestError(`${name} must be true or false.`);
}
