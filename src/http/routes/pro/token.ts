/**
 * POST /token/issue, /token/refresh, /token/revoke: for programs that keep tokens themselves, such as apps on a phone.
 * GET /tokens, DELETE /tokens/:id: for the user who issued them.
 */
import { isServiceError } from '../../../errors/service-error.js';
import { internals } from '../../../kit/internals.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { deviceOf } from '../../route.js';

export function tokenEndpoints({ service, z, answers }: EndpointTools): Endpoint[] {
  const refreshToken = z.object({ refreshToken: z.string() });

  return [
    endpoint({
      method: 'post',
      path: '/token/issue',
      access: 'fresh',
      summary: 'An access token and a refresh token, for a program that signed in as you',
      body: z.object({ device: z.object({ name: z.string().optional() }).optional() }),
      answer: answers.tokenPair,
      async handle({ me, session, body, context }) {
        const name = body.device?.name;
        const device = { ...deviceOf(context), ...(name !== undefined && { name }) };
        const { fid } = session.claims;
        const by = { epoch: session.user.epoch, ...(fid !== undefined && { familyId: fid }) };
        return service.refresh.issue({ userId: me.id, device }, by);
      },
    }),
    endpoint({
      method: 'post',
      path: '/token/refresh',
      access: 'open',
      summary: 'The next pair. A refresh token counts once: one that comes back later ends its family',
      body: refreshToken,
      answer: answers.tokenPair,
      errors: ['refresh_token_invalid'],
      needs: () => service[internals].existing.refresh(),
      handle: async ({ body }) => service[internals].existing.refresh().refresh(body.refreshToken),
    }),
    endpoint({
      method: 'post',
      path: '/token/revoke',
      access: 'open',
      summary: 'Ends the family of a refresh token. What is no token has ended already',
      body: refreshToken,
      answer: answers.ok,
      async handle({ body }) {
        const { refresh } = service;
        // RFC 7009, 2.2: the caller wants the token to be worth nothing, and it is.
        await refresh.revoke(body.refreshToken).catch((error: unknown) => {
          if (!isServiceError(error) || error.code !== 'refresh_token_invalid') throw error;
        });
        return { ok: true };
      },
    }),
    endpoint({
      method: 'get',
      path: '/tokens',
      access: 'session',
      summary: 'Lists the refresh families of the signed-in user, newest first',
      query: pageQuery(z),
      answer: answers.refreshFamilies,
      errors: ['invalid_request'],
      handle: async ({ req, me, token, context }) => service.refresh.list(me.id, token, pageOf(req), context),
    }),
    endpoint({
      method: 'delete',
      path: '/tokens/:id',
      name: 'tokens.revoke',
      access: 'session',
      summary: "Revokes one refresh family. Succeeds also if it has ended or is another user's",
      answer: answers.ok,
      async handle({ me, param }) {
        await service.refresh.revokeFamily(param('id'), { actingUserId: me.id });
        return { ok: true };
      },
    }),
  ];
}
