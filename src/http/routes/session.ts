/** The session of the caller. */
import * as z from 'zod';
import type { Service } from '../../engine/service.js';
import { ProviderNotConfiguredError } from '../../errors/catalog.js';
import { internals } from '../../core/internals.js';
import { checkExpectedUserAtSignOut } from '../authenticate.js';
import { endpoint, type GuardedEndpoint } from '../endpoint.js';
import { proofOf } from '../key-proofs.js';
import { responses } from '../response-schemas.js';
import { endBrowserSession } from '../signed-in.js';

/** Every page calls it, so it runs nothing but the session check. */
export const currentSession: GuardedEndpoint = {
  kind: 'guarded',
  name: 'session',
  access: 'session',
  summary: 'Returns the signed-in user',
  response: responses.user,
  handle: ({ user }) => ({
    user: user && { ...user, createdAt: textOf(user.createdAt), updatedAt: textOf(user.updatedAt) },
  }),
};

/** Returns a time as JSON has it. `JSON.stringify` takes twice as long for it. */
function textOf(time: Date): string | null {
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** Continues a bearer session. Cookies are renewed by the checks instead. */
export const refreshSession = endpoint({
  name: 'refreshSession',
  access: 'open',
  summary:
    'Exchanges the refresh token of a bearer session for the next pair. A refresh token is valid once; its reuse ends the session',
  body: () => z.object({ refreshToken: z.string() }),
  response: responses.tokenPair,
  errors: ['refresh_token_invalid', 'token_invalid'],
  requires: ({ service }) => bearerTokensOf(service),
  async handle({ service, req, body }) {
    const proof = proofOf(service[internals], req);
    return bearerTokensOf(service).rotate(body.refreshToken, {}, proof);
  },
});

/** @throws ProviderNotConfiguredError */
function bearerTokensOf(service: Service) {
  const { bearer } = service[internals];
  if (!bearer) throw new ProviderNotConfiguredError('session.bearer');
  return bearer;
}

export const logout = endpoint({
  name: 'logout',
  access: 'open',
  summary:
    'Ends this session, also on the server. Other devices stay signed in. The token may have expired. Succeeds without a session',
  response: responses.ok,
  errors: ['session_changed'],
  async handle({ service, req, res }) {
    // A stale tab must not sign out another user.
    await checkExpectedUserAtSignOut(service, req);
    await endBrowserSession(service, req, res);
    return { ok: true };
  },
});
