/** The row of a new session. */
import { uuidV7 } from '../../crypto/random.js';
import type { PersonProfile } from '../../domain/identity.js';
import type { DeviceInfo, ServiceSession } from '../../domain/session.js';
import type { Correction } from '../limits/consumed-limits.js';

/** What the last step of a sign-in gets from the proof before it. */
export interface SignInProof {
  /** The profile of the identity provider, for the event of a new user. */
  profile?: PersonProfile | undefined;
  /** The session that was started with a new user. */
  session?: ServiceSession | undefined;
  /** Corrects the limits of the proof, in the query that starts the session. */
  correction?: Correction | undefined;
  /** Present if the proof removed a password or a second factor of an unverified account. */
  reclaimed?: true | undefined;
}

export interface SessionOptions {
  ttlMs: number;
  /** Lifetime of a session that the browser forgets when it closes. Default: `ttlMs`. */
  unrememberedTtlMs?: number | undefined;
  renewAfterMs: number;
  maxAgeMs: number;
  /** How many sessions and refresh families a user may have together. Default: any number. */
  maxPerUser?: number | undefined;
}

export interface NewSessionOptions {
  /** Default: a new one. */
  id?: string | undefined;
  ttlMs?: number;
  /** How the user signed in, for the event. Absent if the session replaces another one. */
  method?: string | undefined;
  /** Whether the user signed in with two factors. */
  twoFactors?: boolean;
  /** Whether the browser keeps the session when it closes. Default true. */
  remember?: boolean | undefined;
  /** When the user authenticated, if that was earlier. */
  signedInAt?: Date | undefined;
  /** The bound session that the new one replaces: it is bound to the same key, and its token is as short-lived. */
  boundAs?: ServiceSession | undefined;
  /** Token of the session that the new one replaces. It ends first, so that the new one does not end another. */
  replaces?: string | undefined;
  /** Id of the trusted browser in which the user signs in: a revocation of the session ends the trust. */
  trustedBrowserId?: string | undefined;
  /** Made in the query that starts the session, but not with `session.maxPerUser`. */
  correction?: Correction | undefined;
}

interface Lifetime {
  id?: string | undefined;
  now: number;
  ttlMs: number;
  /** Counts from the sign-in. */
  maxAgeMs: number;
  signedInAt?: Date | undefined;
}

/** Returns a session that nothing has stored yet. */
export function newSession(
  userId: string,
  device: DeviceInfo,
  { id, now, ttlMs, maxAgeMs, signedInAt: createdAt = new Date(now) }: Lifetime,
): ServiceSession {
  const expiresAt = new Date(Math.min(now + ttlMs, createdAt.getTime() + maxAgeMs));
  const lastSeenAt = new Date(now);
  const ended = { revokedAt: null, boundAt: null };
  return { id: id ?? uuidV7(now), userId, device, createdAt, lastSeenAt, expiresAt, ...ended };
}
