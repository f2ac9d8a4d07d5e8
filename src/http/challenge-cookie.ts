/**
 * Ties the answer of a passkey's ceremony to the browser that began it. The challenge is also kept in the storage, for one use. A
 * browser may have begun several, one per tab: the answer says which of them it is to.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { internals } from '../kit/internals.js';
import { readCeremonies, writeCeremonies, type CeremonyCookie } from './ceremony-cookie.js';

const cookie: CeremonyCookie = {
  name: 'svc_webauthn',
  entry: /^[\w-]{43}$/,
  separator: '.',
  max: 4,
  ttlMs: 5 * 60_000,
};

export function keepChallenge(service: Service, req: Request, res: Response, challenge: string): void {
  writeCeremonies(service[internals], req, res, cookie, [...readCeremonies(req, cookie), challenge]);
}

/** The challenge that is answered, which the cookie then forgets. @throws TokenInvalidError where this browser began no such. */
export function takeChallenge(
  service: Service,
  req: Request,
  res: Response,
  answer: { response: Record<string, unknown> },
): string {
  const challenges = readCeremonies(req, cookie);
  const challenge = challengeOf(answer.response['clientDataJSON']);
  if (challenge === null || !challenges.includes(challenge)) throw new TokenInvalidError();
  const others = challenges.filter((each) => each !== challenge);
  writeCeremonies(service[internals], req, res, cookie, others);
  return challenge;
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
