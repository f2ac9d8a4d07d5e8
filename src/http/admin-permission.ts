/** The permission of an administrator: asks the application, and refuses whatever is not a clear yes. */
import { toServiceUser, type ServiceUser } from '../domain/user.js';
import type { Service } from '../engine/service.js';
import { NotAuthorizedError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import { describeError } from '../core/support/logger.js';
import { withTimeout } from '../core/support/timeouts.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import { because } from './refusal.js';

/** What a request to the admin router or to the admin pages does. */
export type AdminAction =
  | 'users.list'
  | 'users.count'
  | 'users.get'
  | 'users.create'
  | 'users.invite'
  | 'users.update'
  | 'users.setPassword'
  | 'users.signOut'
  | 'users.impersonate'
  | 'users.block'
  | 'users.unblock'
  | 'users.sessions.list'
  | 'users.sessions.revoke'
  | 'users.tokens.list'
  | 'users.tokens.revoke'
  | 'users.identities.list'
  | 'users.identities.remove'
  | 'users.passkeys.list'
  | 'users.passkeys.remove'
  | 'users.totp.state'
  | 'users.totp.disable'
  | 'users.apiKeys.list'
  | 'users.apiKeys.remove'
  | 'users.orgs.list'
  | 'users.orgs.removeMember'
  | 'users.remove'
  | 'lockdown'
  | 'audit.list'
  | 'statistics.read'
  | 'oauthClients.list'
  | 'oauthClients.create'
  | 'oauthClients.update'
  | 'oauthClients.remove'
  | 'oauthClients.addSecret'
  | 'oauthClients.removeSecret';

/** The signed-in user, with the roles of this request. */
export interface Administrator extends ServiceUser {
  roles: string[];
}

/**
 * Returns true if the user may perform the action. Any other result, an error, and no result within
 * five seconds refuse the request.
 * @param target the id of the user in the path, whether or not that user exists. Null for actions
 * without one: `users.list`, `users.count`, `users.create`, `users.invite`, `audit.list`, `statistics.read` and `lockdown`,
 * and those on clients of the OAuth server. The list of users also asks for `users.block` and `users.signOut` with null: whether the
 * administrator may do so at all. Before several users are changed together, it asks about each of them, and for `users.get`
 * before each is shown.
 */
export type Authorize = (
  user: Administrator,
  action: AdminAction,
  target: string | null,
) => boolean | Promise<boolean>;

const timeoutMs = 5_000;

/**
 * Asks at every request, so that an administrator who loses a role is refused from then on.
 * @param session absent for a caller who is not signed in.
 * @throws NotAuthorizedError unless `authorize` returns true in time.
 */
export async function requirePermission(
  service: Service,
  authorize: Authorize | undefined,
  action: AdminAction,
  session: LiveSession | undefined,
  target: string,
): Promise<void> {
  const isAllowed =
    session && authorize && (await hasPermission(service, authorize, action, session, target));
  if (isAllowed !== true) throw new NotAuthorizedError(because('permission'));
}

/** Returns whether `authorize` returns true in time. Any other outcome is false. */
export async function hasPermission(
  service: Service,
  authorize: Authorize,
  action: AdminAction,
  { user }: Pick<LiveSession, 'user'>,
  target: string,
): Promise<boolean> {
  const administrator = { ...toServiceUser(user), roles: [...user.roles] };
  try {
    const answer: unknown = await withTimeout(
      authorize(administrator, action, target === '' ? null : target),
      'authorize',
      timeoutMs,
    );
    return answer === true;
  } catch (error) {
    const err = describeError(isServiceError(error) ? (error.cause ?? error) : error);
    service[internals].logger.error({ event: 'authorize_failed', action, err }, 'authorize failed');
    return false;
  }
}
