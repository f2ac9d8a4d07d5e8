/** GET /session, POST /logout */
import type { RequestHandler } from 'express';
import { internals } from '../../kit/internals.js';
import type { Guard } from '../guard.js';
import { presentedTokens } from '../authenticate.js';
import { requireSession } from '../require-session.js';
import { post, sendJson, setAnswerHeaders } from '../route.js';
import type { RouteTools } from '../route-tools.js';
import { clearSessionCookie } from '../session-cookie.js';
import { forgetPendingSignIn } from '../signed-in.js';

export function currentSession({ service }: RouteTools): Guard[] {
  const answer: Guard = (req, res) => {
    setAnswerHeaders(res);
    sendJson(res, { user: req.user });
  };
  return [requireSession(service), answer];
}

/** Ends this session on the server too (ASVS 7.4.1); other devices stay. Always 200. */
export function logout({ service }: RouteTools): RequestHandler {
  return post(service, async (req, res) => {
    const { sessions } = service[internals];
    clearSessionCookie(service[internals], req, res);
    forgetPendingSignIn(service, req, res);
    for (const token of presentedTokens(service, req)) await sessions.end(token);
    sendJson(res, { ok: true });
  });
}
