/**
 * Binds a passkey ceremony to the browser that started it. The storage also keeps the challenge,
 * for single use. A browser can have several ceremonies, one per tab; the response of the
 * authenticator names its challenge.
 */
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { because } from './refusal.js';
import { internals } from '../core/internals.js';
import { isBearerRequest } from './bearer-session.js';
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

/**
 * Returns the challenge of a ceremony and removes it from the cookie.
 * @throws TokenInvalidError if this browser has not started the ceremony, unless it has a bearer session.
 */
export function takeChallenge(
  service: Service,
  req: Request,
  res: Response,
  credential: { response: Record<string, unknown> },
): string {
  const challenge = challengeOf(credential.response['clientDataJSON']);
  // Without a cookie there is no sign-in that another site could complete in this browser: the tokens go to the script that asks.
  // The storage still accepts each challenge once.
  if (challenge !== null && isBearerRequest(service[internals], req)) return challenge;
  const challenges = readCeremonies(req, cookie);
  if (challenge === null || !challenges.includes(challenge))
    throw new TokenInvalidError(because('passkey_challenge_invalid'));
  const others = challenges.filter((each) => each !== challenge);
  writeCeremonies(service[internals], req, res, cookie, others);
  return challenge;
}

// Unverified: the provider verifies the signature later.
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
