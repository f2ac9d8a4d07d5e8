/**
 * Changes of an account that only its user makes. Their methods take the id of the user, so they check the session of the request once
 * more: a route or a page that has forgotten its access cannot let an administrator take over an account that is being impersonated.
 */
import { isImpersonated } from '../../crypto/session-jwt.js';
import { NotAuthorizedError } from '../../errors/catalog.js';
import { parseContext, routeSession, type RequestContext } from './request-context.js';

/**
 * Without a session in the context, the application is the caller.
 * @throws NotAuthorizedError if the session of the request is an impersonation or belongs to another user.
 */
export function mustBeInPerson(userId: unknown, context: RequestContext | undefined): void {
  const session = parseContext(context)[routeSession];
  if (!session) return;
  if (isImpersonated(session.claims) || session.user.id !== userId) throw new NotAuthorizedError();
}
