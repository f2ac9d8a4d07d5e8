/** What an authorization request asks of its user, by the parameters of the client. */
import type { AskedParams } from './granting.js';
import { hostOf, isNative, isThisComputer } from './redirect-uris.js';

export interface AuthorizationParams extends AskedParams {
  client_id?: string;
  redirect_uri?: string;
  prompt?: string;
  max_age?: string | number;
  id_token_hint?: string;
}

/** Returns when the user must have signed in, in milliseconds since the epoch. Null if a session suffices. @param begun when the request began. */
export function signInSince(
  { prompt = '', max_age: maxAge }: AuthorizationParams,
  begun: number,
): number | null {
  if (prompt.split(' ').includes('login')) return begun;
  return maxAge === undefined ? null : begun - Number(maxAge) * 1000;
}

/** Returns whether the client has asked for another user: the one of its ID token (OpenID Connect Core, 3.1.2.1). */
export function asksForOther({ id_token_hint: hint }: AuthorizationParams, userId: string): boolean {
  return hint !== undefined && subjectOf(hint) !== userId;
}

/** Whose an ID token is, whose signature the engine has checked. */
function subjectOf(idToken: string): unknown {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(payload) as { sub?: unknown }).sub;
}

/** Returns where the browser returns, and whether that is this computer. */
export function targetOf({ redirect_uri: address = '' }: AuthorizationParams): {
  host: string;
  isLocal: boolean;
} {
  return { host: hostOf(address), isLocal: isNative([address]) || isThisComputer(new URL(address)) };
}
