/** GET and POST /orgs/:id/api-keys, DELETE /orgs/:id/api-keys/:keyId: for admins */
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { actingAs, keyInput, newApiKey } from './api-keys.js';

export function orgApiKeyEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/orgs/:id/api-keys',
      access: 'session',
      summary: 'Lists the API keys of an organization, newest first, revoked ones included. For admins',
      query: pageQuery(z),
      answer: answers.apiKeys,
      errors: ['not_authorized'],
      handle: async ({ req, me, param }) =>
        service.apiKeys.list({ orgId: param('id') }, { actingUserId: me.id }, pageOf(req)),
    }),
    endpoint({
      method: 'post',
      path: '/orgs/:id/api-keys',
      access: 'fresh',
      summary: 'Creates an API key of the organization. The key is shown only once. For admins',
      body: newApiKey(z),
      answer: answers.newApiKey,
      errors: ['email_unverified', 'rate_limit_exceeded'],
      handle: async (call) =>
        service.apiKeys.create({ orgId: call.param('id'), ...keyInput(call.body) }, actingAs(call)),
    }),
    endpoint({
      method: 'delete',
      path: '/orgs/:id/api-keys/:keyId',
      access: 'fresh',
      summary:
        'Revokes a key of the organization. A key that is unknown or revoked already is ignored. For admins',
      answer: answers.ok,
      async handle(call) {
        await service.apiKeys.revoke(call.param('keyId'), { orgId: call.param('id'), ...actingAs(call) });
        return { ok: true };
      },
    }),
  ];
}
