/** The request that a change belongs to, for its record in the audit log. */
import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { SessionClaims } from '../crypto/session-jwt.js';
import type { AuditActor } from '../domain/audit.js';
import type { ServiceInternals } from '../core/internals.js';
import { clientAddress } from './client-address.js';
import { originalOf } from './handshake.js';

/** Runs `work` as part of a request. Does nothing else without the option `audit`. */
export function inRequest<Result>(
  { actingRequests }: Pick<ServiceInternals, 'actingRequests'>,
  req: Request,
  work: () => Result,
): Result {
  return actingRequests.run(
    () => ({
      actors: [],
      ip: clientAddress(req),
      userAgent: req.headers['user-agent'],
      requestId: requestIdOf(req),
    }),
    work,
  );
}

/** Ids of requests that have none: the guards of one request have one. */
const ownIds = new WeakMap<object, string>();

/** The id that a middleware of the application has set, else a random one. A header is not read: any client can send one. */
function requestIdOf(req: Request): string {
  const { id } = req as { id?: unknown };
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  const request = originalOf(req);
  const ownId = ownIds.get(request) ?? randomUUID();
  ownIds.set(request, ownId);
  return ownId;
}

/** Returns who acts with a session: its user, and the administrator who impersonates the user. */
export function actorsOfSession({ sub, act }: SessionClaims): AuditActor[] {
  const user: AuditActor = { type: 'user', id: sub };
  return act === undefined ? [user] : [user, { type: 'administrator', id: act.sub }];
}

/** Returns who acts with an API key: its user, if it is that of a user, and the key. */
export function actorsOfKey({ id, userId }: { id: string; userId: string | null }): AuditActor[] {
  const key: AuditActor = { type: 'api_key', id };
  return userId === null ? [key] : [{ type: 'user', id: userId }, key];
}
