/** The session guards for the application's own routes. */
import type { Request } from 'express';
import type { Service } from '../engine/service.js';
import type { SessionClaims } from '../crypto/session-jwt.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { isServiceError, type ServiceError } from '../errors/service-error.js';
import { isBoundToKey } from '../core/sessions/session-tokens.js';
import { optional, refuseOthers } from '../core/support/input.js';
import { internals, withInternals } from '../core/internals.js';
import { actorsOfSession, inRequest } from './acting-request.js';
import { authenticateForGuard, candidateTokens, checkExpectedUser, clearAuth } from './authenticate.js';
import { checkService } from './check-service.js';
import { logError, sendError, toServiceError } from './error-handler.js';
import { noStore, runGuard, type Guard, type RequestCheck } from './guard.js';
import { checkKey, requiredProof } from './key-proofs.js';
import { because } from './refusal.js';
import type { RefusalTools } from './refused-requests.js';
import {
  parseFlag,
  requirementOf,
  tokenRequirementOf,
  type SessionRequirements,
} from './session-requirements.js';
import { parseTokenFrom, type TokenFrom } from './token-from.js';

export interface RequireSessionOptions extends SessionRequirements {
  /**
   * Trusts the token alone and does not query the storage: a revoked session and a deleted user
   * remain authenticated until the token expires. Sets `req.svcAuth` but not `req.user`; the user
   * id is `req.svcAuth.claims.sub`, and its names and roles are empty. Can be combined with `mfa` and `bound` only. Without `bound`, it
   * also accepts the cookie from before a session was bound.
   */
  stateless?: boolean;
  /**
   * Returns the session token of a request that has it elsewhere than in `Authorization: Bearer`, such as `Authorization: Token`. If it
   * returns one, nothing else of the request is read. A token from a cookie is sent by browsers for pages of other sites too: use
   * `sameOrigin`.
   */
  tokenFrom?: TokenFrom;
}

export interface OptionalSessionOptions {
  /** As for `requireSession`. */
  tokenFrom?: TokenFrom;
}

/**
 * The session token of an authenticated request, and what its user has in addition to `req.user`, as the check of the session has read it.
 * With `stateless` it is not known: the names are null and there are no roles.
 */
export interface RequestAuth {
  token: string;
  claims: SessionClaims;
  /** The unique id of the user in the application, or in the system that the user was imported from. */
  externalId: string | null;
  username: string | null;
  /** Roles in the application, sorted. */
  roles: readonly string[];
  /**
   * Whether the session is bound to a key: the browser has proven it within the lifetime of its cookie (`session.bound`), or the client
   * without cookies with this request (DPoP).
   */
  bound: boolean;
}

/**
 * Returns a guard for requests with a valid session; sets `req.user` and `req.svcAuth`. Other
 * requests get 401 as JSON. Reads `Authorization: Bearer`, or the session cookie if that header is
 * absent. Queries the storage on every request (one query), unless `session.cache` is set, and
 * renews sessions in use. Sessions that do not fulfill the requirements get 403. A request that is not a GET and whose `svc-user`
 * header names another user gets 409 `session_changed`.
 * @throws ConfigError if the first argument is not a service; InvalidRequestError, OrgError for
 * invalid options.
 */
export function requireSession(service: Service, options: RequireSessionOptions = {}): Guard {
  checkService(service, 'requireSession');
  const { stateless, ...others } = optional(options);
  if (parseFlag(stateless, 'stateless')) return requireToken(service, others);
  const tools = service[internals];
  const check = sessionCheck(service, others);
  const guard: Guard = (req, res, next) =>
    inRequest(tools, req, () =>
      runGuard(res, next, check(req, res), (error) => sendError(res, asError(error, req, tools))),
    );
  return withInternals(guard, tools);
}

/** The check of `requireSession`, of which every guard for sessions is made. @throws as `requirementOf`. */
export function sessionCheck(
  service: Service,
  { tokenFrom, ...requirements }: Omit<RequireSessionOptions, 'stateless'> = {},
): RequestCheck {
  const readFrom = parseTokenFrom(tokenFrom);
  const requirement = requirementOf(service, requirements);
  return async (req, res) => {
    const { session } = await authenticateForGuard(service, req, res, readFrom);
    if (requirement) await requirement(req, session);
  };
}

/**
 * Returns a guard that sets `req.user` and `req.svcAuth` if the request has a valid session, and
 * refuses no request. Errors of the storage are logged.
 * @throws ConfigError if the first argument is not a service; InvalidRequestError for invalid options.
 */
export function optionalSession(service: Service, options: OptionalSessionOptions = {}): Guard {
  checkService(service, 'optionalSession');
  const { tokenFrom, ...others } = optional(options);
  refuseOthers(others, 'is not an option of this guard');
  const readFrom = parseTokenFrom(tokenFrom);
  const guard: Guard = (req, res, next) =>
    inRequest(service[internals], req, () =>
      runGuard(res, next, authenticateForGuard(service, req, res, readFrom), (error) => {
        logIgnored(error, req, service[internals]);
        next();
      }),
    );
  return withInternals(guard, service[internals]);
}

function requireToken(service: Service, requirements: Omit<RequireSessionOptions, 'stateless'>): Guard {
  const check = tokenCheck(service, requirements);
  const tools = service[internals];
  return (req, res, next) => {
    try {
      check(req);
    } catch (error) {
      return sendError(res, asError(error, req, tools));
    }
    noStore(res);
    inRequest(tools, req, () => {
      tools.actingRequests.identify(() => (req.svcAuth ? actorsOfSession(req.svcAuth.claims) : []));
      next();
    });
  };
}

/** The check of `requireSession` with `stateless`. @throws as `tokenRequirementOf`. */
export function tokenCheck(
  service: Service,
  { tokenFrom, ...requirements }: Omit<RequireSessionOptions, 'stateless'>,
): (req: Request) => void {
  const readFrom = parseTokenFrom(tokenFrom);
  const requirement = tokenRequirementOf(requirements);
  return (req) => {
    clearAuth(req);
    const { token, claims } = verifiedToken(service, req, readFrom);
    checkExpectedUser(req, claims.sub);
    req.svcAuth = {
      token,
      claims,
      externalId: null,
      username: null,
      roles: [],
      bound: isBoundToKey(claims),
    };
    requirement(claims);
  };
}

/** @throws TokenInvalidError: that of the first token, if none is valid. */
function verifiedToken(
  service: Service,
  req: Request,
  tokenFrom: TokenFrom | undefined,
): { token: string; claims: SessionClaims } {
  const tokens = candidateTokens(service, req, tokenFrom);
  if (tokens.length === 0) throw new TokenInvalidError(because('cookie_missing'));
  const { tokens: verifier } = service[internals].sessions;
  const { token, from } = tokens.find((each) => verifier.claimsOf(each.token) !== null) ?? tokens[0]!;
  // Without a query, so a proof that was copied with its token is accepted for its whole minute.
  const proof = from === 'dpop' ? requiredProof(service[internals], req, token) : undefined;
  const claims = verifier.verifyClaims(token);
  checkKey(claims, proof);
  return { token, claims };
}

/** As `toServiceError`, for a guard: requests without a valid session are ordinary traffic, so they are logged at the level `debug`. */
export function asError(error: unknown, req: Request, tools: RefusalTools): ServiceError {
  return toServiceError(error, req, tools, levelOf(error));
}

/** Logs the error of a guard that lets the request pass without a user. */
export function logIgnored(error: unknown, req: Request, { logger }: Pick<RefusalTools, 'logger'>): void {
  logError(error, req, logger, levelOf(error));
}

const levelOf = (error: unknown) =>
  isServiceError(error) && error.code === 'token_invalid' ? 'debug' : 'info';
