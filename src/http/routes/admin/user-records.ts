/** What belongs to a user, for administrators: API keys and memberships; and the deletion of the user. */
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { by } from './by.js';

const requiresKeys = ({ service }: Target) => service.apiKeys;
const requiresOrgs = ({ service }: Target) => service.orgs;

export const listUserApiKeys = endpoint({
  action: 'users.apiKeys.list',
  access: 'no-impersonation',
  summary: 'Lists the API keys of a user, newest first, including revoked keys',
  query: pageQuery,
  response: responses.apiKeys,
  errors: ['invalid_request', 'user_not_found'],
  requires: requiresKeys,
  handle: async ({ service, req, param }) =>
    service.apiKeys.list({ userId: param('id') }, undefined, pageOf(req)),
});

export const revokeUserApiKey = endpoint({
  action: 'users.apiKeys.remove',
  access: 'recent',
  summary: 'Revokes an API key of a user. Ignores a key that is unknown, already revoked or of another owner',
  response: responses.ok,
  errors: ['user_not_found'],
  requires: requiresKeys,
  async handle({ service, me, session, param }) {
    await service.apiKeys.revoke(param('keyId'), { userId: param('id'), ...by({ me, session }) });
    return { ok: true };
  },
});

export const listUserOrgs = endpoint({
  action: 'users.orgs.list',
  access: 'no-impersonation',
  summary: 'Lists the organizations that a user is a member of, oldest membership first',
  query: pageQuery,
  response: responses.orgs,
  errors: ['invalid_request', 'user_not_found'],
  requires: requiresOrgs,
  async handle({ service, req, param }) {
    const { memberships, nextCursor } = await service.orgs.listForUser(param('id'), pageOf(req));
    return { orgs: memberships.map(({ org, ...membership }) => ({ org, membership })), nextCursor };
  },
});

export const removeUserFromOrg = endpoint({
  action: 'users.orgs.removeMember',
  access: 'recent',
  summary: 'Removes a user from an organization. Refuses to remove the last owner',
  response: responses.ok,
  errors: ['org_error', 'user_not_found'],
  requires: requiresOrgs,
  async handle({ service, me, session, param }) {
    await service.orgs.removeMember(param('orgId'), param('id'), by({ me, session }));
    return { ok: true };
  },
});

export const deleteUser = endpoint({
  action: 'users.remove',
  access: 'recent',
  summary: 'Deletes a user with all data. Refuses to delete the last owner of an organization',
  response: responses.ok,
  errors: ['org_error', 'user_not_found'],
  requires: ({ service }) => service.account,
  async handle({ service, me, session, param }) {
    await service.account.deleteUser(param('id'), by({ me, session }));
    return { ok: true };
  },
});
