/** Checks a call by what its decorators declare, with the checks of the guards for Express. */
import type { Request } from 'express';
import type { Service } from '../engine/service.js';
import { InternalError, InvalidRequestError } from '../errors/catalog.js';
import { isServiceError } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import { clearAuth } from '../http/authenticate.js';
import { noStore, type RequestCheck } from '../http/guard.js';
import { markCopy } from '../http/handshake.js';
import { checkOriginOfCookies, checkOriginUnlessSafe } from '../http/origin-check.js';
import { apiKeyCheck } from '../http/require-api-key.js';
import { logIgnored, sessionCheck, tokenCheck } from '../http/require-session.js';
import { parseFlag } from '../http/session-requirements.js';
import type { AccessDeclaration } from './access.js';
import type { Call } from './request-of.js';

/** Rejects with the reason if the call is refused. */
export type CallCheck = (call: Call) => Promise<void>;

/**
 * Returns the check for a declaration.
 * @param name of the handler, for the error message.
 * @throws InternalError if a requirement is invalid.
 */
export function checkFor(service: Service, access: AccessDeclaration, name: string): CallCheck {
  try {
    const { apiKey } = access;
    // A browser sends no API key by itself, so its origin does not matter.
    if (apiKey) return onRequest(apiKeyCheck(service, apiKey));
    const check = onRequest(sessionCheckOf(service, access));
    const tools = service[internals];
    const checkOrigin = ({ kind, req, res }: Call) =>
      // The handshake of a socket is a GET, which pages of other sites can send with cookies.
      kind === 'http' || res ? checkOriginUnlessSafe(tools, req) : checkOriginOfCookies(tools, req);
    const required: CallCheck = async (call) => {
      checkOrigin(call);
      await check(call);
    };
    return access.isPublic ? optionally(service, required) : required;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // The caller has sent nothing wrong, and the log must name the handler.
    throw new InternalError(error, `The requirements of ${name} are invalid. ${error.message}`);
  }
}

function sessionCheckOf(service: Service, { session = {}, roles }: AccessDeclaration): RequestCheck {
  // One would otherwise replace the other, and let users through whom it refuses.
  if (roles && session.role !== undefined)
    throw new InvalidRequestError('@Roles() and the role of @RequireSession() exclude each other.');
  const { stateless, ...requirements } = { ...session, ...(roles && { role: roles }) };
  if (!parseFlag(stateless, 'stateless')) return sessionCheck(service, requirements);
  const check = tokenCheck(service, requirements);
  return async (req, res) => {
    check(req);
    if (res) noStore(res);
  };
}

/** Refuses no call. One that would be refused has no user, also if its page is of another site. */
function optionally(service: Service, check: CallCheck): CallCheck {
  return async (call) => {
    try {
      await check(call);
    } catch (error) {
      clearAuth(call.req);
      logIgnored(error, call.req, service[internals]);
    }
  };
}

/**
 * Resolvers of one GraphQL request are guarded at the same time, and a check first removes the user of the request. Each therefore
 * checks a request that inherits from the real one.
 */
function onRequest(check: RequestCheck): CallCheck {
  return async ({ kind, req, res }) => {
    if (kind === 'http') return check(req, res);
    const checked = Object.create(req) as Request;
    markCopy(checked, req);
    await check(checked, res);
    // Only what the check has set: the real request may have the user of another middleware.
    const { user, svcAuth, apiKey } = { ...checked };
    Object.assign(req, { user, svcAuth, apiKey });
  };
}
