/**
 * Refresh tokens: for programs that store tokens themselves, such as mobile apps, and for the users
 * who issued them.
 */
import * as z from 'zod';
import { isServiceError } from '../../../errors/service-error.js';
import { internals } from '../../../core/internals.js';
import { endpoint, type Target } from '../../endpoint.js';
import { pageOf, pageQuery } from '../../page-query.js';
import { deviceOf } from '../../request-context.js';
import { responses } from '../../response-schemas.js';
import { lazily } from '../../../runtime/load.js';

const refreshToken = lazily(() => z.object({ refreshToken: z.string() }));

const requires = ({ service }: Target) => service.refresh;

export const issueTokens = endpoint({
  access: 'recent',
  summary: 'Issues an access token and a refresh token, for a program that acts as you',
  body: () => z.object({ device: z.object({ name: z.string().optional() }).optional() }),
  response: responses.tokenPair,
  requires,
  async handle({ service, me, session, body, context }) {
    const name = body.device?.name;
    const device = { ...deviceOf(context), ...(name !== undefined && { name }) };
    const { fid: familyId, sid: sessionId } = session.claims;
    const by = { epoch: session.user.epoch, familyId, sessionId };
    return service.refresh.issue({ userId: me.id, device }, by);
  },
});

export const refreshTokens = endpoint({
  access: 'open',
  summary:
    'Exchanges a refresh token for the next pair. A refresh token is valid once; its reuse revokes the family',
  body: refreshToken,
  response: responses.tokenPair,
  errors: ['refresh_token_invalid'],
  // Works without a valid license too: programs that are signed in must stay signed in.
  requires: ({ service }) => service[internals].existing.refresh(),
  handle: async ({ service, body }) => service[internals].existing.refresh().refresh(body.refreshToken),
});

export const revokeToken = endpoint({
  access: 'open',
  summary: 'Revokes the family of a refresh token. Ignores an invalid token',
  body: refreshToken,
  response: responses.ok,
  requires,
  async handle({ service, body }) {
    const { refresh } = service;
    // RFC 7009, 2.2: an invalid token is not an error, because it cannot be used anyway.
    await refresh.revoke(body.refreshToken).catch((error: unknown) => {
      if (!isServiceError(error) || error.code !== 'refresh_token_invalid') throw error;
    });
    return { ok: true };
  },
});

export const listRefreshFamilies = endpoint({
  access: 'session',
  summary: 'Lists your refresh families, newest first',
  query: pageQuery,
  response: responses.refreshFamilies,
  errors: ['invalid_request'],
  requires,
  handle: async ({ service, req, me, token, context }) =>
    service.refresh.list(me.id, token, pageOf(req), context),
});

export const revokeRefreshFamily = endpoint({
  name: 'tokens.revoke',
  access: 'session',
  summary: 'Revokes one of your refresh families. Ignores a family that is unknown or has ended',
  response: responses.ok,
  requires,
  async handle({ service, me, param }) {
    await service.refresh.revokeFamily(param('id'), { actingUserId: me.id });
    return { ok: true };
  },
});
