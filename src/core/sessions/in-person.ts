/**
 * Changes of an account that only its user makes. Their methods take the id of the user, so they check the session of the request once
 * more: a route or a page that has forgotten its access cannot let an administrator take over an account that is being impersonated.
 */
import { isImpersonated } from '../../crypto/session-jwt.js';
import { InternalError, NotAuthorizedError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { parseContext, routeCheck, type RequestContext } from './request-context.js';

/**
 * Checks the context of a call that changes what belongs to a user. Without the mark of a route, the application is the caller.
 * @throws NotAuthorizedError if the session of the request is an impersonation or belongs to another user; InternalError if the route or
 * page has checked no access that excludes impersonations.
 */
export function mustBeInPerson(userId: unknown, context: RequestContext | null | undefined): void {
  const check = parseContext(context)[routeCheck];
  if (!check) return;
  const { session, inPerson } = check;
  if (session && (isImpersonated(session.claims) || session.user.id !== userId))
    throw new NotAuthorizedError(because('impersonation'));
  if (!session || !inPerson)
    throw new InternalError(new Error('The route changes an account, but has checked no access.'));
}
