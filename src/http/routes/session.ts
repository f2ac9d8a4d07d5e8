/** The session of the caller. */
import { internals } from '../../core/support/internals.js';
import { checkExpectedUser, presentedTokens } from '../authenticate.js';
import { endpoint, type GuardedEndpoint } from '../endpoint.js';
import { responses } from '../response-schemas.js';
import { endBrowserSession } from '../signed-in.js';

/** Every page calls it, so it runs nothing but the session check. */
export const currentSession: GuardedEndpoint = {
  kind: 'guarded',
  name: 'session',
  access: 'session',
  summary: 'Returns the signed-in user',
  response: responses.user,
  handle: ({ user }) => ({ user }),
};

export const logout = endpoint({
  name: 'logout',
  access: 'open',
  summary: 'Ends this session, also on the server. Other devices stay signed in. Succeeds without a session',
  response: responses.ok,
  errors: ['session_changed'],
  async handle({ service, req, res }) {
    const { sessions } = service[internals];
    // A stale tab must not sign out another user.
    const [userId] = presentedTokens(service, req).flatMap(
      ({ token }) => sessions.tokens.claimsOf(token)?.sub ?? [],
    );
    if (userId !== undefined) checkExpectedUser(req, userId);
    await endBrowserSession(service, req, res);
    return { ok: true };
  },
});
