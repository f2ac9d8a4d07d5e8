/** The log and, with the option `audit`, the record of a request that was refused (docs/audit.md, Refused requests). */
import type { Request } from 'express';
import type { ServiceInternals } from '../core/internals.js';
import { attemptedUserOf } from '../core/support/attempted-user.js';
import { refusedRequest } from '../core/support/refused-requests.js';
import type { AuditActor } from '../domain/audit.js';
import type { Reason } from '../errors/reasons.js';
import { actorsOfKey, actorsOfSession, inRequest } from './acting-request.js';

/** Where a refusal is noted. */
export type RefusalTools = Pick<ServiceInternals, 'actingRequests' | 'changes' | 'logger'>;

/** What is known of a refusal. */
export interface Refusal {
  reason: Reason;
  /** Undefined if a client of OAuth is refused by the protocol. */
  error?: Error;
  /** The account, if the server has read it. By default that of the error, then the user who acts in the request. */
  userId?: string | undefined;
  /** The client of OAuth, if the server has read it. */
  clientId?: string | undefined;
}

/** Records a response with the status 401, 403 or 429. An attempt to sign in that has left a record leaves no other one. */
export function recordRefusal(
  { actingRequests, changes }: Pick<RefusalTools, 'actingRequests' | 'changes'>,
  req: Request,
  { reason, error, userId: readId, clientId }: Refusal,
): void {
  if (!actingRequests.isOn) return;
  inRequest({ actingRequests }, req, () => {
    const { actors = [] } = actingRequests.current ?? {};
    // A handler that no guard has called, such as a filter of Nest, has a request without actors.
    if (actors.length === 0) actingRequests.identify(() => actorsOf(req));
    const acting = actingRequests.current?.actors.find(({ type }) => type === 'user')?.id;
    const userId = readId ?? (error && attemptedUserOf(error)) ?? acting;
    const route = routeOf(req);
    const details = route === undefined ? {} : { route };
    changes.recordFailure(error, { action: refusedRequest, reason, userId, clientId, details });
  });
}

/** Who acts in a request that a guard has let pass. */
function actorsOf({ svcAuth, apiKey }: Request): readonly AuditActor[] {
  if (svcAuth?.claims) return actorsOfSession(svcAuth.claims);
  return apiKey ? actorsOfKey(apiKey) : [];
}

/** The pattern of the route, never the path of the request, which can contain a token. Not that of the router, which can have parameters too. */
function routeOf({ method, route }: Request): string | undefined {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? `${method} ${path}` : undefined;
}
