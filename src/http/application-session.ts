/** Sessions that the application starts and ends itself, with its own forms and responses. */
import type { Request, Response } from 'express';
import type { TokenPair } from '../domain/refresh-family.js';
import type { ServiceUser } from '../domain/user.js';
import { InternalError, InvalidRequestError } from '../errors/catalog.js';
import { optional, refuseOthers } from '../core/support/input.js';
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import { acceptSession, clearAuth, presentedTokens } from './authenticate.js';
import { checkService } from './check-service.js';
import { parseFlag } from './session-requirements.js';
import { signInContext } from './own-routes.js';
import { endBrowserSession, startBrowserSession } from './signed-in.js';

export interface StartSessionOptions {
  /**
   * If true, an account with a second factor gets no session: the cookie of a pending sign-in is set, `MfaRequiredError` is thrown, and
   * `POST /mfa/verify` or the pages complete the sign-in. Default false: the application says that the user is signed in.
   */
  secondFactor?: boolean;
  /** Whether the browser keeps the session when it closes. Default true. */
  remember?: boolean;
}

export interface StartedSession {
  user: ServiceUser;
  /** When the session ends unless it is used: of a bearer session, when its refresh token does. */
  expiresAt: Date;
  /** Present for a request of a client without cookies (`session.bearer`): return them to it. */
  bearer?: TokenPair;
}

/**
 * Starts a session for a user whom the application has authenticated, sets the cookies of a sign-in, and sets `req.user` and `req.svcAuth`.
 * Writes no response. Ends the session that the browser had. The session has one factor. Mount `sameOrigin` before a route that calls it.
 * @throws ConfigError if the first argument is not a service; UserNotFoundError; UserBlockedError; MfaRequiredError with `secondFactor`;
 * InvalidRequestError for invalid options; InternalError if the response has begun, because no cookie can be set; TokenInvalidError as
 * `signInContext`.
 */
export async function startSession(
  service: Service,
  req: Request,
  res: Response,
  userId: string,
  options: StartSessionOptions = {},
): Promise<StartedSession> {
  checkService(service, 'startSession');
  const { secondFactor, remember, ...others } = optional(options);
  refuseOthers(others, 'is not an option of startSession');
  const asksSecondFactor = parseFlag(secondFactor, 'secondFactor');
  const isKept = remember === undefined || parseFlag(remember, 'remember');
  if (typeof userId !== 'string') throw new InvalidRequestError('userId must be the id of a user.');
  if (res.headersSent) throw tooLate('startSession');
  const tools = service[internals];
  const context = { ...signInContext(service, req), remember: isKept };
  const result = await tools.signInForApplication(userId, context, asksSecondFactor);
  if (res.headersSent) {
    await tools.sessions.endSession(result.session?.token ?? result.bearer?.accessToken);
    throw tooLate('startSession');
  }
  clearAuth(req);
  res.setHeader('Cache-Control', 'no-store');
  startBrowserSession(service, req, res, result);
  const { bearer, session, user } = result;
  // Without `pending`, which has thrown, a sign-in has one of the two.
  const token = (session?.token ?? bearer?.accessToken)!;
  const expiresAt = (session?.session.expiresAt ?? bearer?.refreshExpiresAt)!;
  await acceptSession(service, req, res, {
    token,
    from: 'bearer',
    session: await tools.sessions.authenticate(token),
  });
  return { user, expiresAt, ...(bearer && { bearer }) };
}

/**
 * Ends the session of the request on the server, clears its cookies, and removes `req.user` and `req.svcAuth`. Writes no response, and does
 * nothing without a session. Mount `sameOrigin` before a route that calls it.
 * @throws ConfigError if the first argument is not a service; InternalError if the response has begun, because no cookie can be cleared:
 * the session has ended then.
 */
export async function endSession(service: Service, req: Request, res: Response): Promise<void> {
  checkService(service, 'endSession');
  const { sessions } = service[internals];
  // Also a session that this request has started, whose cookie it does not have.
  const tokens = [...presentedTokens(service, req).map(({ token }) => token), req.svcAuth?.token];
  clearAuth(req);
  if (res.headersSent) {
    for (const token of tokens) await sessions.endSession(token);
    throw tooLate('endSession');
  }
  res.setHeader('Cache-Control', 'no-store');
  await endBrowserSession(service, req, res);
  await sessions.endSession(tokens.at(-1));
}

function tooLate(name: string): InternalError {
  return new InternalError(new Error(`The response has begun: call ${name} before you write it.`));
}
