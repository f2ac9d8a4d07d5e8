/**
 * The checks before a route, a page or a form does something, once its session is known: one list, in one order, for all of them. Two of
 * four lists once lacked a check, and that was a takeover.
 */
import type { Request } from 'express';
import type { RouteCheck } from '../core/sessions/request-context.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import type { Authenticated } from './authenticate.js';
import type { Access } from './endpoint.js';
import { requireAccess } from './session-requirements.js';

export interface AdmissionRule {
  access: Access;
  /** How old the sign-in may be for `recent` access, in milliseconds. */
  freshMs: number;
  /** Asks whether the application allows the action. Throws if there is one, and no session. */
  permission?: ((session: LiveSession | undefined) => Promise<void>) | undefined;
  /** With `recent` access: returns whether this caller may use a session of any age. */
  isExempt?: () => boolean | Promise<boolean>;
}

export interface Admission<Body> {
  /** What was checked, for the context of the methods that follow. Undefined without a caller. */
  check: RouteCheck | undefined;
  body: Body | undefined;
}

/**
 * Checks the access of a caller, reads the body, and checks the session again if the body came late.
 * @param caller null for open access, or if the browser has no session. The methods that change an account then refuse the context.
 * @param read reads and validates the body.
 * @throws the errors of `requireAccess`, `permission` and `read`; TokenInvalidError if the session has ended in the meantime.
 */
export async function admit<Body>(
  service: Service,
  req: Request,
  caller: Authenticated | null,
  { access, freshMs, permission, isExempt }: AdmissionRule,
  read?: () => Promise<Body>,
): Promise<Admission<Body>> {
  const session = caller?.session;
  const rule = { access, permission: permission && (() => permission(session)), isExempt };
  const check = session && (await requireAccess(service, session, freshMs, rule));
  // No one is allowed an action without a session.
  if (!session) await permission?.(undefined);
  const wasComplete = req.complete;
  const body = await read?.();
  // A client can send the body minutes after the headers: the session may have ended since then.
  if (caller && read && !wasComplete) {
    const current = await service[internals].sessions.authenticate(caller.token);
    await permission?.(current);
  }
  return { check, body };
}
