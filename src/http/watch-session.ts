/** Watches the session of a request that stays open: the upgrade to a WebSocket, or a response of server-sent events. */
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Service } from '../engine/service.js';
import { InvalidRequestError } from '../errors/catalog.js';
import { optional } from '../core/support/input.js';
import { internals } from '../core/internals.js';
import type { OnSessionEnd, SessionWatch } from '../core/sessions/watched-sessions.js';
import { inRequest } from './acting-request.js';
import { checkService } from './check-service.js';
import { handshakeRequest } from './handshake.js';
import { checkOriginOfCookies } from './origin-check.js';
import { asError, sessionCheck } from './require-session.js';
import type { SessionRequirements } from './session-requirements.js';

export interface WatchSessionOptions extends Omit<SessionRequirements, 'org'> {
  /** The session token of a client that cannot set headers, such as `socket.handshake.auth.token` of Socket.IO. It is used instead of a cookie. */
  token?: string | undefined;
  /** As for `service.watch`. */
  pollMs?: number;
}

/**
 * Checks the session of a request as `requireSession` does, also the page that opened it: browsers send cookies with the WebSockets of
 * other sites. Then calls `onEnd` once with the reason when the session ends. Renews no session, because it sets no cookie. A refusal is
 * logged, and recorded with the option `audit`.
 * @param req a request of Express or of `node:http`: that of `upgrade`, of `connection` of `ws`, or `socket.request` of Socket.IO.
 * @param onEnd closes the socket. What it throws is logged.
 * @throws ConfigError if the first argument is not a service; TokenInvalidError; NotAuthorizedError for a page of another site; the errors
 * of the requirements; InvalidRequestError.
 */
export async function watchSession(
  service: Service,
  req: IncomingMessage,
  onEnd: OnSessionEnd,
  options: WatchSessionOptions = {},
): Promise<SessionWatch> {
  checkService(service, 'watchSession');
  const { token, pollMs, ...requirements } = optional(options);
  if (typeof (req as Partial<IncomingMessage> | null)?.headers !== 'object')
    throw new InvalidRequestError('req must be a request.');
  if (token !== undefined && typeof token !== 'string')
    throw new InvalidRequestError('token must be a string.');
  const request = requestOf(req, token);
  const check = sessionCheck(service, requirements);
  const tools = service[internals];
  await inRequest(tools, request, async () => {
    try {
      // An empty token, which the page that opens the socket can choose, reads the cookies too.
      if (!token) checkOriginOfCookies(tools, request);
      await check(request, undefined);
    } catch (error) {
      // The application closes the socket itself.
      asError(error, request, tools);
      throw error;
    }
  });
  return tools.watchedSessions.watch(request.svcAuth!.token, onEnd, pollMs);
}

/** A copy: what the check sets must not stay on the request of an engine that does not expect it. */
function requestOf(req: IncomingMessage, token: string | undefined): Request {
  const { secure, ip, method = 'GET' } = req as Partial<Request>;
  const request = handshakeRequest(req, token);
  // Server-sent events can answer a POST.
  Object.assign(request, { method });
  // As Express has them of its proxies.
  if (secure !== undefined) Object.assign(request, { secure, protocol: secure ? 'https' : 'http', ip });
  return request;
}
