/**
 * Ties the answer of a passkey's ceremony to the browser that began it. The challenge is also kept in the storage, for one use. A
 * browser may have begun several, one per tab: the cookie holds the latest, and the answer says which of them it is to.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { internals } from '../kit/internals.js';
import { clearCookie, readCookie, setCookie } from './session-cookie.js';

const cookieName = 'svc_webauthn';
const ttlMs = 5 * 60_000;
const most = 4;

export function keepChallenge(service: Service, req: Request, res: Response, challenge: string): void {
  keep(service, req, res, [...begun(req), challenge].slice(-most));
}

/** The challenge that is answered, which the cookie then forgets. @throws TokenInvalidError where this browser began no such. */
export function takeChallenge(
  service: Service,
  req: Request,
  res: Response,
  answer: { response: Record<string, unknown> },
): string {
  const challenges = begun(req);
  const challenge = challengeOf(answer.response['clientDataJSON']);
  if (challenge === null || !challenges.includes(challenge)) throw new TokenInvalidError();
  keep(
    service,
    req,
    res,
    challenges.filter((each) => each !== challenge),
  );
  return challenge;
}

/** What is no challenge is not ours, and would grow with each time that it is set anew. */
const isChallenge = (text: string) => /^[\w-]{43}$/.test(text);

function begun(req: Request): string[] {
  return readCookie(req, cookieName)?.split('.').filter(isChallenge) ?? [];
}

function keep(service: Service, req: Request, res: Response, challenges: string[]): void {
  const tools = service[internals];
  if (challenges.length === 0) return clearCookie(tools, req, res, cookieName);
  setCookie(tools, req, res, cookieName, challenges.join('.'), new Date(tools.clock() + ttlMs));
}

// What the browser says it answers; whether it does is for the verification to tell.
function challengeOf(clientData: unknown): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData as string, 'base64url').toString()) as {
      challenge?: unknown;
    };
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}
