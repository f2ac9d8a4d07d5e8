/** Administrators who act as a user (specification 4.3, `impersonate`; docs/decisions/impersonation.md). */
import type * as z from 'zod';
import { isImpersonated } from '../../crypto/session-jwt.js';
import { toServiceUser } from '../../domain/user.js';
import { InvalidRequestError, NotAuthorizedError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import { unblockedUser } from '../../core/sessions/existing-user.js';
import { withTimeout } from '../../core/support/timeouts.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { impersonationOptions } from './inputs.js';
import type { SessionsOptions } from './options.js';

type Tools = Pick<Toolkit, 'clock' | 'events' | 'logger' | 'sessions' | 'storage'>;

/** @see SessionsProvider.impersonate */
export async function impersonate(
  { clock, events, logger, sessions, storage }: Tools,
  canImpersonate: SessionsOptions['canImpersonate'],
  { adminUserId, targetUserId }: { adminUserId: string; targetUserId: string },
  { expiresInSec, reason, sessionToken }: z.output<ReturnType<typeof impersonationOptions>>,
): Promise<{ token: string; expiresAt: Date }> {
  if (!Number.isInteger(expiresInSec) || expiresInSec < 1 || expiresInSec > 60 * 60) {
    throw new InvalidRequestError('expiresInSec must be a whole number from 1 to 3600.');
  }
  if (reason && reason.length > 500)
    throw new InvalidRequestError('reason must be at most 500 characters long.');
  const admin = await unblockedUser(storage.users, adminUserId, clock());
  const target = await unblockedUser(storage.users, targetUserId, clock());
  const asked = canImpersonate?.(toServiceUser(admin), toServiceUser(target));
  const allowed: unknown = await withTimeout(asked, 'canImpersonate');
  if (allowed !== true || admin.id === target.id)
    throw new NotAuthorizedError(because('impersonation_refused'));
  const sessionId =
    sessionToken === undefined ? undefined : await sessionIdOf(sessions, admin.id, sessionToken);
  const issued = sessions.tokens.forImpersonation(admin, target, expiresInSec, sessionId);
  logger.warn({ event: 'impersonated', adminUserId: admin.id, userId: target.id }, 'a user is impersonated');
  events.emit('session.impersonated', { adminUserId: admin.id, userId: target.id, reason: reason ?? null });
  return issued;
}

/** Returns the id of the administrator's own session. */
async function sessionIdOf(sessions: Toolkit['sessions'], adminUserId: string, sessionToken: unknown) {
  const { claims, session, user } = await sessions.authenticate(sessionToken);
  if (isImpersonated(claims) || user.id !== adminUserId)
    throw new NotAuthorizedError(because('impersonation_refused'));
  if (!session) throw new InvalidRequestError('sessionToken must be the token of a session.');
  return session.id;
}
