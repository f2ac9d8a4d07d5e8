/** GET /session, POST /logout */
import type { Service } from '../../engine/service.js';
import { internals } from '../../kit/internals.js';
import { checkExpectedUser, presentedTokens } from '../authenticate.js';
import { endpoint, type Endpoint, type RouteDescription } from '../endpoint.js';
import type { EndpointTools } from '../endpoint-tools.js';
import type { Guard } from '../guard.js';
import { requireSession } from '../require-session.js';
import { sendJson, setAnswerHeaders } from '../route.js';
import { clearSessionCookie } from '../session-cookie.js';
import { forgetPendingSignIn } from '../signed-in.js';

/** What every page calls: the guard and nothing besides, without the steps of an endpoint. */
export function currentSession(service: Service): Guard[] {
  const answer: Guard = (req, res) => {
    setAnswerHeaders(res);
    sendJson(res, { user: req.user });
  };
  return [requireSession(service), answer];
}

export function describeCurrentSession({ answers }: EndpointTools): RouteDescription {
  return {
    method: 'get',
    path: '/session',
    name: 'session',
    access: 'session',
    summary: 'Who is signed in',
    answer: answers.user,
  };
}

export function sessionEndpoints({ service, answers }: EndpointTools): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/logout',
      name: 'logout',
      access: 'open',
      summary: 'Ends this session on the server too; other devices stay signed in. Always 200',
      answer: answers.ok,
      errors: ['session_changed'],
      // ASVS 7.4.1
      async handle({ req, res }) {
        const { sessions } = service[internals];
        const tokens = presentedTokens(service, req);
        // A stale tab must not sign out another user.
        const [shown] = tokens.flatMap(({ token }) => sessions.tokens.claimsOf(token)?.sub ?? []);
        if (shown !== undefined) checkExpectedUser(req, shown);
        clearSessionCookie(service[internals], req, res);
        forgetPendingSignIn(service, req, res);
        for (const { token } of tokens) await sessions.end(token);
        return { ok: true };
      },
    }),
  ];
}
