/** GET and POST /api-keys, DELETE /api-keys/:id */
import type { Zod } from '../../../runtime/load.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';

/** A new key, of a user or of an organisation. */
export const newApiKey = (z: Zod) =>
  z.object({
    name: z.string(),
    scopes: z.array(z.string()).optional(),
    expiresAt: z.iso.datetime({ offset: true }).optional(),
  });

/** The fields of a body as the provider takes them. */
export function apiKeyFields(body: { name: string; scopes?: string[]; expiresAt?: string }) {
  const { name, scopes, expiresAt } = body;
  return { name, scopes, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) };
}

export function apiKeyEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api-keys',
      access: 'session',
      summary: 'Your API keys, newest first, revoked ones included',
      answer: answers.apiKeys,
      handle: async ({ me }) => ({ apiKeys: await service.apiKeys.list({ userId: me.id }) }),
    }),
    endpoint({
      method: 'post',
      path: '/api-keys',
      access: 'fresh',
      summary: 'Makes an API key, and tells it this one time',
      body: newApiKey(z),
      answer: answers.newApiKey,
      handle: async ({ me, session, body }) =>
        service.apiKeys.create({ userId: me.id, ...apiKeyFields(body) }, session.user.epoch),
    }),
    endpoint({
      method: 'delete',
      path: '/api-keys/:id',
      access: 'fresh',
      summary: 'Ends a key. One that has ended, or is not yours, is no error',
      answer: answers.ok,
      async handle({ me, param }) {
        const { apiKeys } = service;
        const own = await apiKeys.list({ userId: me.id });
        if (own.some(({ id }) => id === param('id'))) await apiKeys.revoke(param('id'));
        return { ok: true };
      },
    }),
  ];
}
