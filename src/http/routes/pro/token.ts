/** POST /token/issue, /token/refresh, /token/revoke: for programs that keep tokens themselves, such as apps on a phone. */
import { NotAuthorizedError } from '../../../errors/catalog.js';
import { isServiceError } from '../../../errors/service-error.js';
import { endpoint, type Endpoint } from '../../endpoint.js';
import type { EndpointTools } from '../../endpoint-tools.js';
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
        const { refresh } = service;
        // A family counts as a sign-in from its issue on: one that begat the next would stay fresh, and alive, for ever.
        if (session.claims.fid !== undefined) throw new NotAuthorizedError();
        const name = body.device?.name;
        const device = { ...deviceOf(context), ...(name !== undefined && { name }) };
        return refresh.issue({ userId: me.id, device }, session.user.epoch);
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
      handle: async ({ body }) => service.refresh.refresh(body.refreshToken),
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
  ];
}
