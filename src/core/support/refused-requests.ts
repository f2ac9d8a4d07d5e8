/** Requests that were refused with 401, 403 or 429: which of their records are ordinary traffic. */
import type { Reason } from '../../errors/reasons.js';

/** The action of their records. */
export const refusedRequest = 'request.refused';

/**
 * Reasons of requests that browsers and programs send all the time: without a credential, with one that has expired, or as the first of two
 * steps. A record of each would say nothing, so they are counted.
 */
const ordinary: ReadonlySet<string> = new Set<Reason>([
  'cookie_missing',
  'token_expired',
  'api_key_missing',
  'access_token_missing',
  'session_proof_needed',
  'challenge_required',
]);

/** Whether a refusal is only counted. */
export function isOrdinary({ action, reason }: { action: string; reason: string }): boolean {
  return action === refusedRequest && ordinary.has(reason);
}
