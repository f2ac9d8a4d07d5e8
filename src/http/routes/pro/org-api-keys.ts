/** GET and POST /orgs/:id/api-keys, DELETE /orgs/:id/api-keys/:keyId: for admins */
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { makeApiKey, newApiKey } from './api-keys.js';
import { orgOf } from './org-access.js';

export function orgApiKeyEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/orgs/:id/api-keys',
      access: 'session',
      summary: 'The API keys of an organisation, newest first, revoked ones included. For admins',
      answer: answers.apiKeys,
      errors: ['not_authorized'],
      async handle({ me, param }) {
        const { apiKeys } = service;
        const { id: orgId } = await orgOf(service, me.id, param('id'), 'admin');
        return { apiKeys: await apiKeys.list({ orgId }) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/orgs/:id/api-keys',
      access: 'fresh',
      summary: 'Makes an API key of the organisation, and tells it this one time. For admins',
      body: newApiKey(z),
      answer: answers.newApiKey,
      errors: ['rate_limit_exceeded'],
      async handle({ me, body, param }) {
        const { id: orgId } = await orgOf(service, me.id, param('id'), 'admin');
        return makeApiKey(service, me, { orgId }, { actingUserId: me.id }, body);
      },
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id/api-keys/:keyId',
      access: 'fresh',
      summary: 'Ends a key of the organisation. One that has ended, or is another’s, is no error. For admins',
      answer: answers.ok,
      async handle({ me, param }) {
        const { apiKeys } = service;
        const { id: orgId } = await orgOf(service, me.id, param('id'), 'admin');
        await apiKeys.revoke(param('keyId'), { orgId, actingUserId: me.id });
        return { ok: true };
      },
    }),
  ];
}
