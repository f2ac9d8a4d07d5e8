/** GET and POST /api-keys, DELETE /api-keys/:id */
import type { Zod } from '../../../runtime/load.js';
import { endpoint, type Endpoint, type MemberCall } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { pageOf, pageQuery } from '../../page-query.js';

/** A new key, of a user or of an organization. */
export const newApiKey = (z: Zod) =>
  z.object({
    name: z.string(),
    scopes: z.array(z.string()).optional(),
    expiresAt: z.iso.datetime({ offset: true }).optional(),
  });

/** A key as the body describes it. */
export function keyInput({
  name,
  scopes,
  expiresAt,
}: {
  name: string;
  scopes?: string[];
  expiresAt?: string;
}) {
  return {
    name,
    ...(scopes !== undefined && { scopes }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
  };
}

/** The caller as the acting user of a provider's method. */
export function actingAs({ me, session }: Pick<MemberCall<unknown>, 'me' | 'session'>) {
  return { actingUserId: me.id, epoch: session.user.epoch };
}

export function apiKeyEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api-keys',
      access: 'session',
      summary: 'Lists your API keys, newest first, revoked ones included',
      query: pageQuery(z),
      answer: answers.apiKeys,
      errors: ['invalid_request'],
      handle: async ({ req, me, context }) =>
        service.apiKeys.list({ userId: me.id }, { actingUserId: me.id }, pageOf(req), context),
    }),
    endpoint({
      method: 'post',
      path: '/api-keys',
      access: 'fresh',
      summary: 'Creates an API key. The key is shown only once',
      body: newApiKey(z),
      answer: answers.newApiKey,
      errors: ['email_unverified', 'rate_limit_exceeded'],
      handle: async (call) =>
        service.apiKeys.create({ userId: call.me.id, ...keyInput(call.body) }, actingAs(call)),
    }),
    endpoint({
      method: 'delete',
      path: '/api-keys/:id',
      access: 'fresh',
      summary: 'Revokes a key of yours. A key that is unknown or revoked already is ignored',
      answer: answers.ok,
      async handle(call) {
        await service.apiKeys.revoke(call.param('id'), actingAs(call));
        return { ok: true };
      },
    }),
  ];
}
