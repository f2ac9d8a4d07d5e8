/** The API keys of an organization. Only its admins and owners may call. */
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { actorOf, newApiKey } from './api-keys.js';

const requires = ({ service }: Target) => [service.orgs, service.apiKeys];

export const listOrgApiKeys = endpoint({
  access: 'session',
  summary: 'Lists the API keys of an organization, newest first, including revoked keys. For admins',
  query: pageQuery,
  response: responses.apiKeys,
  errors: ['not_authorized'],
  requires,
  handle: async ({ service, req, me, param }) =>
    service.apiKeys.list({ orgId: param('id') }, { actingUserId: me.id }, pageOf(req)),
});

export const createOrgApiKey = endpoint({
  access: 'recent',
  summary: 'Creates an API key of the organization. The key is shown only once. For admins',
  body: newApiKey,
  response: responses.newApiKey,
  errors: ['email_unverified', 'rate_limit_exceeded'],
  requires,
  handle: async ({ service, me, session, body, param }) =>
    service.apiKeys.create({ ...body, orgId: param('id') }, actorOf({ me, session })),
});

export const revokeOrgApiKey = endpoint({
  access: 'recent',
  summary:
    'Revokes an API key of the organization. Ignores a key that is unknown or already revoked. For admins',
  response: responses.ok,
  requires,
  async handle({ service, me, session, param }) {
    await service.apiKeys.revoke(param('keyId'), { orgId: param('id'), ...actorOf({ me, session }) });
    return { ok: true };
  },
});
