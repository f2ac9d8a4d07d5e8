/**
 * The two endpoints that browsers call by themselves for bound sessions (`session.bound`). Not in the tables of routes: no client calls
 * them, and their requests have no body. The origin is not checked: after a link or a redirect of another site, a browser sends it too. A
 * page of another site cannot add the headers, of which one is for browsers alone, and nothing but a proof counts.
 */
import type { Request, Response, Router } from 'express';
import { internals } from '../../core/internals.js';
import type { BoundSessions, ProvenSession } from '../../core/sessions/bound-sessions.js';
import type { Service } from '../../engine/service.js';
import { NotAuthorizedError, TokenInvalidError } from '../../errors/catalog.js';
import { sendError, toServiceError } from '../error-handler.js';
import { because } from '../refusal.js';
import { sendJson, setResponseHeaders } from '../respond.js';
import { isSecure } from '../secure-cookie.js';
import { readCookie, setCookie } from '../session-cookie.js';
import { startSessionCookie } from '../start-session-cookie.js';
import { boundMarker, bindingAttributes } from './cookies.js';
import { readNonces } from './offer.js';
import {
  isOfBrowser,
  readBindingId,
  readProof,
  refreshPath,
  registrationPath,
  sessionInstructions,
  setChallenge,
} from './headers.js';

type Handler = (req: Request, res: Response) => Promise<ProvenSession>;

/** Adds the endpoints to the router, unless the option is off. */
export function mountBoundSessions(router: Router, service: Service): void {
  const { boundSessions } = service[internals];
  if (!boundSessions) return;
  const mount = (path: string, handle: Handler) =>
    router.post(path, (req, res) => void respond(service, boundSessions, handle, req, res));
  mount(registrationPath, (req) => register(service, boundSessions, req));
  mount(refreshPath, (req, res) => refresh(service, boundSessions, req, res));
}

async function respond(
  service: Service,
  { path }: BoundSessions,
  handle: Handler,
  req: Request,
  res: Response,
): Promise<void> {
  const tools = service[internals];
  setResponseHeaders(res);
  try {
    const { bindingId, issued, remember } = await handle(req, res);
    startSessionCookie(tools, req, res, issued);
    const end = remember ? issued.session.expiresAt : undefined;
    setCookie(tools, req, res, boundMarker(tools, req), bindingId, end, bindingAttributes(tools, req));
    const cookie = { ...tools.cookie, isSecure: isSecure(tools.cookie, req) };
    sendJson(res, sessionInstructions(bindingId, path, cookie));
  } catch (error) {
    // The cookie stays: it may be that of a newer session, whose browser still knows the one that has ended.
    sendError(res, toServiceError(error, req, tools));
  }
}

/**
 * The challenge belongs to the sign-in, and to the browser that got its response: the session cookie is not needed, and may be missing.
 * A script of the page can read the challenge, so a key of its choice must not count.
 */
async function register(service: Service, sessions: BoundSessions, req: Request): Promise<ProvenSession> {
  const proof = readProof(req);
  if (proof === undefined || !isOfBrowser(req)) throw new TokenInvalidError(because('session_proof_invalid'));
  return sessions.register(proof, readNonces(service[internals], req));
}

async function refresh(
  service: Service,
  sessions: BoundSessions,
  req: Request,
  res: Response,
): Promise<ProvenSession> {
  const bindingId = readBindingId(req);
  if (bindingId === undefined) throw new TokenInvalidError(because('session_proof_invalid'));
  const proof = readProof(req);
  const proven = proof === undefined ? null : await sessions.refresh(bindingId, proof);
  if (!proven) {
    setChallenge(res, bindingId, sessions.refreshChallenge(bindingId));
    throw new NotAuthorizedError(because('session_proof_needed'));
  }
  // The browser was closed after a sign-in that is not remembered, or has signed in again or out: while the cookie of a bound session is
  // missing, a sign-in or a sign-out cannot end it.
  const isCurrent = readCookie(req, boundMarker(service[internals], req)) === bindingId;
  if (!isCurrent) throw new TokenInvalidError(because('session_proof_invalid'));
  return proven;
}
