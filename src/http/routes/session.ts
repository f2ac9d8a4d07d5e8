/** GET /session, POST /logout */
import type { Service } from '../../engine/service.js';
import { internals } from '../../kit/internals.js';
import { presentedTokens } from '../authenticate.js';
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
      // ASVS 7.4.1
      async handle({ req, res }) {
        const { sessions } = service[internals];
        clearSessionCookie(service[internals], req, res);
        forgetPendingSignIn(service, req, res);
        for (const token of presentedTokens(service, req)) await sessions.end(token);
        return { ok: true };
      },
    }),
  ];
}
