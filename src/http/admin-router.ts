/** The routes that administer users, for administrators of the application. */
import type { Router } from 'express';
import type { Service } from '../engine/service.js';
import { OptionFaults } from '../core/support/options.js';
import { usualFreshMs } from '../core/sessions/sessions.js';
import type { Authorize } from './admin-permission.js';
import { checkService } from './check-service.js';
import { createRouter } from './mount.js';
import { createRedirects } from './redirects.js';
import { route, type Route } from './route.js';
import { startLockdown } from './routes/admin/lockdown.js';
import { listAuditRecords } from './routes/admin/audit.js';
import {
  blockUser,
  createUser,
  inviteUser,
  setUserPassword,
  signOutUser,
  unblockUser,
  updateUser,
} from './routes/admin/user-changes.js';
import {
  deleteUser,
  listUserApiKeys,
  listUserOrgs,
  removeUserFromOrg,
  revokeUserApiKey,
} from './routes/admin/user-records.js';
import {
  disableUserTotp,
  getUserTotpState,
  listUserIdentities,
  listUserPasskeys,
  listUserSessions,
  listUserTokens,
  removeUserPasskey,
  revokeUserSession,
  revokeUserTokens,
  unlinkUserIdentity,
} from './routes/admin/user-sign-ins.js';
import { getStatistics } from './routes/admin/statistics.js';
import { countUsers, getUser, listUsers } from './routes/admin/users.js';

export interface AdminRouterOptions {
  /** Decides whether the signed-in user may perform an action. Asked at every request. */
  authorize: Authorize;
  /** How long ago an administrator may have signed in for changes, in milliseconds. Default 600000. */
  freshMs?: number;
}

export const adminRoutes: readonly Route[] = [
  route('GET', '/admin/users', listUsers),
  route('POST', '/admin/users', createUser),
  // Before `/:id`, which would match it.
  route('GET', '/admin/users/count', countUsers),
  route('POST', '/admin/users/invite', inviteUser),
  route('POST', '/admin/lockdown', startLockdown),
  route('GET', '/admin/users/:id', getUser),
  route('PATCH', '/admin/users/:id', updateUser),
  route('POST', '/admin/users/:id/password', setUserPassword),
  route('POST', '/admin/users/:id/sign-out', signOutUser),
  route('POST', '/admin/users/:id/block', blockUser),
  route('POST', '/admin/users/:id/unblock', unblockUser),

  route('GET', '/admin/users/:id/sessions', listUserSessions),
  route('DELETE', '/admin/users/:id/sessions/:sessionId', revokeUserSession),
  route('GET', '/admin/users/:id/identities', listUserIdentities),
  route('DELETE', '/admin/users/:id/identities/:identityId', unlinkUserIdentity),

  route('GET', '/admin/statistics', getStatistics),

  // Pro
  route('GET', '/admin/users/:id/tokens', listUserTokens),
  route('DELETE', '/admin/users/:id/tokens/:tokenId', revokeUserTokens),
  route('GET', '/admin/users/:id/passkeys', listUserPasskeys),
  route('DELETE', '/admin/users/:id/passkeys/:passkeyId', removeUserPasskey),
  route('GET', '/admin/users/:id/totp', getUserTotpState),
  route('DELETE', '/admin/users/:id/totp', disableUserTotp),
  route('GET', '/admin/users/:id/api-keys', listUserApiKeys),
  route('DELETE', '/admin/users/:id/api-keys/:keyId', revokeUserApiKey),
  route('GET', '/admin/users/:id/orgs', listUserOrgs),
  route('DELETE', '/admin/users/:id/orgs/:orgId', removeUserFromOrg),
  route('DELETE', '/admin/users/:id', deleteUser),

  // With the option `audit`
  route('GET', '/admin/audit', listAuditRecords),
];

/**
 * Returns a router with the routes of `service.users`, and with those of the Pro tier about a user's
 * records, to be mounted next to the others:
 * `app.use('/api/auth', createAuthRouter(service), createAdminRouter(service, { authorize }))`.
 * @throws ConfigError if the first argument is not a service, if `authorize` is not a function, and if
 * the options contain an unknown name or an invalid `freshMs`.
 */
export function createAdminRouter(service: Service, options: AdminRouterOptions): Router {
  checkService(service, 'createAdminRouter');
  const faults = new OptionFaults('createAdminRouter');
  const { authorize, freshMs = usualFreshMs, ...others } = faults.of(options);
  const message = 'must be a function that returns whether a user may perform an action';
  faults.check(typeof authorize === 'function', 'authorize', message);
  faults.milliseconds(freshMs, 'freshMs');
  faults.unknown(others, ['authorize', 'freshMs']);
  faults.throwIfAny();
  return createRouter(adminRoutes, { service, redirects: createRedirects({}), freshMs, authorize });
}
