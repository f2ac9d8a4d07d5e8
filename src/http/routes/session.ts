/** The session of the caller. */
import { internals } from '../../core/support/internals.js';
import { checkExpectedUser, presentedTokens } from '../authenticate.js';
import { endpoint, type GuardedEndpoint } from '../endpoint.js';
import { responses } from '../response-schemas.js';
import { clearSessionCookie } from '../session-cookie.js';
import { clearPendingSignIn } from '../signed-in.js';

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
  // ASVS 7.4.1
  async handle({ service, req, res }) {
    const { sessions } = service[internals];
    const tokens = presentedTokens(service, req);
    // A stale tab must not sign out another user.
    const [userId] = tokens.flatMap(({ token }) => sessions.tokens.claimsOf(token)?.sub ?? []);
    if (userId !== undefined) checkExpectedUser(req, userId);
    clearSessionCookie(service[internals], req, res);
    clearPendingSignIn(service, req, res);
    for (const { token } of tokens) await sessions.endSession(token);
    return { ok: true };
  },
});
