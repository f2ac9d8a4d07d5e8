/** GET and POST /api-keys, DELETE /api-keys/:id */
import type { ServiceUser } from '../../../domain/user.js';
import type { Service } from '../../../engine/service.js';
import { InvalidRequestError } from '../../../errors/catalog.js';
import { newApiKeyBudgets } from '../../../kit/budgets.js';
import { internals } from '../../../kit/internals.js';
import type { Acting } from '../../../kit/acting.js';
import type { ApiKeyOwner, MakerSession } from '../../../providers/api-keys.js';
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

/**
 * A key as a stranger may make one.
 * @throws InvalidRequestError for a scope that is not the routes' to grant: the caller may be anybody, and a guard that asks for it
 * relies on the application having given it. RateLimitError, counted for who makes it, whoever the owner is.
 */
export function makeApiKey(
  service: Service,
  maker: ServiceUser,
  owner: ApiKeyOwner,
  by: Acting | MakerSession,
  { name, scopes = [], expiresAt }: { name: string; scopes?: string[]; expiresAt?: string },
) {
  const { apiKeys } = service;
  if (!scopes.every((scope) => apiKeys.grantableScopes.includes(scope)))
    throw new InvalidRequestError('scopes must be among those of the option providers.apiKeys.scopes.');
  const end = expiresAt === undefined ? undefined : new Date(expiresAt);
  return service[internals].limiter.spend(newApiKeyBudgets(maker.id), () =>
    apiKeys.create({ ...owner, name, scopes, expiresAt: end }, by),
  );
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
      errors: ['rate_limit_exceeded'],
      async handle({ me, session, body }) {
        return makeApiKey(service, me, { userId: me.id }, { epoch: session.user.epoch }, body);
      },
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
