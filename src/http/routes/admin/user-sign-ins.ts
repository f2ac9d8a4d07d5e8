/** The sign-ins of a user, for administrators: sessions, refresh families, identities, passkeys and the second factor. */
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { by } from './by.js';

const requiresRefresh = ({ service }: Target) => service.refresh;
const requiresPasskeys = ({ service }: Target) => service.webauthn;
const requiresTotp = ({ service }: Target) => service.totp;

export const listUserSessions = endpoint({
  action: 'users.sessions.list',
  access: 'no-impersonation',
  summary: 'Lists the active sessions of a user, newest first',
  query: pageQuery,
  response: responses.sessions,
  errors: ['invalid_request', 'user_not_found'],
  handle: async ({ service, req, token, param }) =>
    service.users.listSessions(param('id'), { ...pageOf(req), currentToken: token }),
});

export const revokeUserSession = endpoint({
  action: 'users.sessions.revoke',
  access: 'recent',
  summary: 'Ends one session of a user. Ignores a session that is unknown, has ended or is of another user',
  response: responses.ok,
  errors: ['user_not_found'],
  async handle({ service, me, session, param }) {
    await service.users.revokeSession(param('id'), param('sessionId'), by({ me, session }));
    return { ok: true };
  },
});

export const listUserTokens = endpoint({
  action: 'users.tokens.list',
  access: 'no-impersonation',
  summary: 'Lists the refresh families of a user, newest first',
  query: pageQuery,
  response: responses.refreshFamilies,
  errors: ['invalid_request', 'user_not_found'],
  requires: requiresRefresh,
  handle: async ({ service, req, token, param }) => service.refresh.list(param('id'), token, pageOf(req)),
});

export const revokeUserTokens = endpoint({
  action: 'users.tokens.revoke',
  access: 'recent',
  summary:
    'Revokes one refresh family of a user. Ignores one that is unknown, has ended or is of another user',
  response: responses.ok,
  errors: ['user_not_found'],
  requires: requiresRefresh,
  async handle({ service, me, session, param }) {
    const change = { userId: param('id'), ...by({ me, session }) };
    await service.refresh.revokeFamily(param('tokenId'), change);
    return { ok: true };
  },
});

export const listUserIdentities = endpoint({
  action: 'users.identities.list',
  access: 'no-impersonation',
  summary: 'Lists the accounts at identity providers and the phone numbers of a user, oldest first',
  response: responses.identities,
  errors: ['user_not_found'],
  handle: async ({ service, param }) => ({ identities: await service.users.listIdentities(param('id')) }),
});

export const unlinkUserIdentity = endpoint({
  action: 'users.identities.remove',
  access: 'recent',
  summary:
    'Unlinks an identity of a user, also the last sign-in method. Ignores an identity that is unknown or of another user',
  response: responses.ok,
  errors: ['user_not_found'],
  async handle({ service, me, session, param }) {
    await service.users.unlinkIdentity(param('id'), param('identityId'), by({ me, session }));
    return { ok: true };
  },
});

export const listUserPasskeys = endpoint({
  action: 'users.passkeys.list',
  access: 'no-impersonation',
  summary: 'Lists the passkeys of a user, oldest first',
  query: pageQuery,
  response: responses.passkeys,
  errors: ['invalid_request', 'user_not_found'],
  requires: requiresPasskeys,
  async handle({ service, req, param }) {
    const { credentials, nextCursor } = await service.webauthn.listCredentials(param('id'), pageOf(req));
    return { passkeys: credentials, nextCursor };
  },
});

export const removeUserPasskey = endpoint({
  action: 'users.passkeys.remove',
  access: 'recent',
  summary: 'Removes a passkey of a user, also the last sign-in method',
  response: responses.ok,
  errors: ['user_not_found'],
  requires: requiresPasskeys,
  async handle({ service, me, session, param }) {
    await service.webauthn.removeCredential(param('id'), param('passkeyId'), by({ me, session }));
    return { ok: true };
  },
});

export const getUserTotpState = endpoint({
  action: 'users.totp.state',
  access: 'no-impersonation',
  summary: 'Returns whether a user has a second factor, and how many recovery codes are left',
  response: responses.totp,
  errors: ['encryption_required', 'user_not_found'],
  requires: requiresTotp,
  handle: async ({ service, param }) => service.totp.state(param('id')),
});

export const disableUserTotp = endpoint({
  action: 'users.totp.disable',
  access: 'recent',
  summary: 'Removes the second factor of a user, and ends every session of the user if there was one',
  response: responses.ok,
  errors: ['encryption_required', 'user_not_found'],
  requires: requiresTotp,
  async handle({ service, me, session, param }) {
    await service.totp.disable(param('id'), by({ me, session }));
    return { ok: true };
  },
});
