/** What a session must fulfill apart from being valid: its age, its factors, the user's role. */
import type { Request } from 'express';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { parseRole, type OrgRole } from '../domain/org.js';
import { hasUnverifiedAddress, type StoredUser } from '../domain/user.js';
import { parseUserRole } from '../domain/user-roles.js';
import type { Service } from '../engine/service.js';
import {
  BoundSessionRequiredError,
  EmailUnverifiedError,
  InvalidRequestError,
  MfaRequiredError,
  NotAuthorizedError,
} from '../errors/catalog.js';
import { checkInput, checkMilliseconds, refuseOthers } from '../core/support/input.js';
import { internals } from '../core/internals.js';
import { isRecentSignIn, staleSignIn } from '../core/sessions/recent-sign-in.js';
import { verificationEnd } from '../core/sessions/watched-state.js';
import { isBoundToKey, usedTwoFactors } from '../core/sessions/session-tokens.js';
import type { RouteCheck } from '../core/sessions/request-context.js';
import type { CheckedSession, LiveSession } from '../core/sessions/session-checks.js';
import type { Access } from './endpoint.js';
import { because } from './refusal.js';

export interface SessionRequirements {
  /**
   * The maximum age of the sign-in in milliseconds. Older sign-ins get 403 `reauth_required`;
   * impersonations get 403 `not_authorized`.
   */
  maxAgeMs?: number;
  /**
   * Whether the sign-in must have used two factors, or a passkey with user verification. Other
   * sign-ins get 403 `mfa_required`.
   */
  mfa?: boolean;
  /**
   * Whether the session must be bound to a key of the browser (`session.bound`), which has proven it within `ttlMs`. Other sessions get 403
   * `bound_session_required`: those of browsers that cannot bind sessions, of clients without cookies that have no key (DPoP), and impersonations.
   */
  bound?: boolean;
  /**
   * The role that the user must have in the organization of the request (Pro): 403 `not_authorized`
   * otherwise.
   */
  org?: OrgRequirement;
  /**
   * Whether the user must have a verified address: 403 `email_unverified` otherwise. By default, users with an unverified address are
   * refused if `emailPassword.verifyEmail` is `require` and its grace time has passed; false lets them through.
   */
  verified?: boolean;
  /**
   * A role of the user in the application, as set with `users.update`: 403 `not_authorized` otherwise. Of a list of roles, the user must
   * have one.
   */
  role?: string | readonly string[];
}

export interface OrgRequirement {
  /** The lowest role that is allowed. */
  min: OrgRole;
  /**
   * Returns the organization of a request: `(req) => req.params.orgId`. A list, which Express
   * returns for a wildcard, is refused.
   */
  id: (req: Request) => string | string[] | undefined;
}

type Requirement = (req: Request, session: CheckedSession) => Promise<void>;

/**
 * Returns the checks for some requirements, or undefined if there are none. Validates the options
 * when the guard is created, because a misspelled option would guard nothing.
 * @throws InvalidRequestError, OrgError if an option is invalid or unknown.
 */
export function requirementOf(
  service: Service,
  { maxAgeMs, mfa, bound, org, role, verified, ...others }: SessionRequirements,
): Requirement | undefined {
  refuseOthers(others, 'is not a session requirement');
  const needsMfa = parseFlag(mfa, 'mfa');
  const needsBinding = parseFlag(bound, 'bound');
  const checkAddress = addressCheck(service, verified);
  if (maxAgeMs !== undefined) checkMilliseconds(maxAgeMs, 'maxAgeMs');
  const roles = role === undefined ? undefined : rolesOf(role);
  const checkRole = org === undefined ? undefined : roleCheck(service, org);
  if (maxAgeMs === undefined && !needsMfa && !needsBinding && !roles && !checkAddress && !checkRole)
    return undefined;
  return async (req, session) => {
    if (roles && !roles.some((each) => session.user.roles.includes(each)))
      throw new NotAuthorizedError(because('role_missing'));
    checkAddress?.(session.user);
    if (needsMfa) requireTwoFactors(session.claims);
    if (needsBinding) requireBinding(session.claims);
    if (maxAgeMs !== undefined) requireSignInSince(session, service[internals].clock() - maxAgeMs);
    await checkRole?.(req, session);
  };
}

/** Refuses an empty list, which no user could fulfill. @throws InvalidRequestError */
function rolesOf(role: string | readonly string[]): string[] {
  const roles: readonly unknown[] = Array.isArray(role) ? role : [role];
  if (roles.length === 0) throw new InvalidRequestError('role must name at least one role.');
  return roles.map((each) => parseUserRole(each));
}

/**
 * As `requirementOf`, for requirements that a token alone can prove.
 * @throws InvalidRequestError
 */
export function tokenRequirementOf({
  mfa,
  bound,
  ...others
}: SessionRequirements): (claims: SessionClaims) => void {
  refuseOthers(others, 'cannot be checked with a token alone: remove `stateless`');
  const needsMfa = parseFlag(mfa, 'mfa');
  const needsBinding = parseFlag(bound, 'bound');
  return (claims) => {
    if (needsMfa) requireTwoFactors(claims);
    if (needsBinding) requireBinding(claims);
  };
}

/** What a route, a page or a form states about its callers. `requireAccess` checks it. */
export interface AccessRule {
  access: Access;
  /** The action that `authorize` must allow the caller. Checked between the impersonation and the age of the sign-in. */
  permission?: () => Promise<void>;
  /** With `recent` access: returns whether this caller may use a session of any age. Asked only if it matters. */
  isExempt?: () => boolean | Promise<boolean>;
}

/**
 * Checks that a session may do what needs this access: the one rule for routes, pages and forms.
 * @param freshMs how old the sign-in may be for `recent` access, in milliseconds.
 * @returns what was checked, for the context of the methods that follow.
 * @throws NotAuthorizedError if an administrator impersonates the user and the access is more than `session`; the errors of `permission`;
 * ReauthRequiredError if the access is `recent` and the sign-in is older.
 */
export async function requireAccess(
  service: Service,
  session: LiveSession,
  freshMs: number,
  { access, permission, isExempt }: AccessRule,
): Promise<RouteCheck> {
  const inPerson = access !== 'open' && access !== 'session';
  if (inPerson) refuseImpersonation(session);
  await permission?.();
  if (access === 'recent' && !isRecent(service, session, freshMs) && !(await isExempt?.()))
    throw staleSignIn(session, service[internals].clock() - freshMs);
  return { session, inPerson };
}

/** @throws NotAuthorizedError if an administrator impersonates the user. */
function refuseImpersonation({ claims }: CheckedSession): void {
  if (claims.act) throw new NotAuthorizedError(because('impersonation'));
}

/** Returns whether the user has signed in within `freshMs` milliseconds, and not in a trusted browser without the second factor. */
export function isRecent(service: Service, session: CheckedSession, freshMs: number): boolean {
  const { clock, trustsBrowsers } = service[internals];
  return isRecentSignIn(session, { since: clock() - freshMs, trustsBrowsers });
}

/** For `maxAgeMs` of a guard, which does not ask for the second factor: `mfa` does. */
function requireSignInSince(session: CheckedSession, since: number): void {
  refuseImpersonation(session);
  // Negated, so that an invalid date is refused.
  if (!(session.signedInAt.getTime() >= since)) throw staleSignIn(session, since);
}

function requireTwoFactors(claims: SessionClaims): void {
  if (!usedTwoFactors(claims)) throw new MfaRequiredError();
}

/** The token decides: within moments of the registration, the session is bound although the token is not. */
function requireBinding(claims: SessionClaims): void {
  if (!isBoundToKey(claims)) throw new BoundSessionRequiredError(because('session_unbound'));
}

/** Undefined if an unverified address is not refused. */
function addressCheck(
  service: Service,
  verified: boolean | undefined,
): ((user: Pick<StoredUser, 'email' | 'emailVerified' | 'createdAt'>) => void) | undefined {
  if (parseFlag(verified, 'verified')) {
    return ({ emailVerified }) => {
      if (!emailVerified) throw new EmailUnverifiedError();
    };
  }
  if (verified === false || service[internals].unverifiedGraceMs === null) return undefined;
  return (user) => {
    if (mustVerify(service, user)) throw new EmailUnverifiedError();
  };
}

/** Returns whether a user must verify the address before guards let the session through: `emailPassword.verifyEmail` is `require`. */
export function mustVerify(
  service: Service,
  user: Pick<StoredUser, 'email' | 'emailVerified' | 'createdAt'>,
): boolean {
  const { clock, unverifiedGraceMs } = service[internals];
  return clock() >= verificationEnd(user, unverifiedGraceMs);
}

/**
 * Returns whether a user must verify the address before giving an application access. Also while `emailPassword.verifyGraceMs` lets the
 * session through: the access would outlast it.
 */
export function mustVerifyBeforeConsent(
  service: Service,
  user: Pick<StoredUser, 'email' | 'emailVerified'>,
): boolean {
  return service[internals].unverifiedGraceMs !== null && hasUnverifiedAddress(user);
}

function roleCheck(service: Service, requirement: OrgRequirement): Requirement {
  checkInput(requirement, 'org');
  const { min, id } = requirement;
  const minRole = parseRole(min);
  if (typeof id !== 'function') throw new InvalidRequestError('org.id must be a function of the request.');
  return async (req, { user }) => {
    const { orgs } = service;
    const orgId = id(req);
    if (typeof orgId !== 'string') throw new NotAuthorizedError(because('organization_missing'));
    await orgs.assertRole(orgId, user.id, minRole);
  };
}

/** Refuses strings: 'false' would count as true. @throws InvalidRequestError */
export function parseFlag(flag: unknown, name: string): boolean {
  if (flag === undefined || typeof flag === 'boolean') return flag === true;
  throw new InvalidRequestError(`${name} must be true or false.`);
}
