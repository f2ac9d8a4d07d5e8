/** The API keys of the caller. */
import * as z from 'zod';
import { newApiKeyInput } from '../../../core/support/new-api-key.js';
import { endpoint, type SignedInCall, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { responses } from '../../response-schemas.js';
import { lazily } from '../../../runtime/load.js';

/** The body that creates a key, for a user or for an organization. */
export const newApiKey = lazily(() =>
  newApiKeyInput()
    .pick({ name: true, scopes: true })
    .extend({
      expiresAt: z.iso
        .datetime({ offset: true })
        .transform((time) => new Date(time))
        .optional(),
    }),
);

/** Returns the caller as the acting user of a provider's method. */
export function actorOf({ me, session }: Pick<SignedInCall<unknown>, 'me' | 'session'>) {
  return { actingUserId: me.id, sessionEpoch: session.user.epoch };
}

const requires = ({ service }: Target) => service.apiKeys;

export const listApiKeys = endpoint({
  access: 'session',
  summary: 'Lists your API keys, newest first, including revoked keys',
  query: pageQuery,
  response: responses.apiKeys,
  errors: ['invalid_request'],
  requires,
  handle: async ({ service, req, me, context }) =>
    service.apiKeys.list({ userId: me.id }, { actingUserId: me.id }, pageOf(req), context),
});

export const createApiKey = endpoint({
  access: 'recent',
  summary: 'Creates an API key. The key is shown only once',
  body: newApiKey,
  response: responses.newApiKey,
  errors: ['email_unverified', 'rate_limit_exceeded'],
  requires,
  handle: async ({ service, me, session, body }) =>
    service.apiKeys.create({ ...body, userId: me.id }, actorOf({ me, session })),
});

export const revokeApiKey = endpoint({
  access: 'recent',
  summary: 'Revokes one of your API keys. Ignores a key that is unknown or already revoked',
  response: responses.ok,
  requires,
  async handle({ service, me, session, param }) {
    await service.apiKeys.revoke(param('id'), actorOf({ me, session }));
    return { ok: true };
  },
});
