/** What a former system of the application shows of its sessions: `expressSession`, `jwt` and the others of `svc-auth/moving`. */
import type { IncomingMessage } from 'node:http';

/** What a source reads of a request. */
export interface SessionRequest {
  /** Returns the values of the cookies of this name, decoded, at most four. */
  readonly cookies: (name: string) => string[];
  /** The `Authorization` header. */
  authorization: string | undefined;
  /** Milliseconds since 1970, by the clock of the service. */
  now: number;
  /** The request itself, for what its middleware has set. */
  request: IncomingMessage;
}

/**
 * The account of an old session. An address is an account only if the old system has verified it: return it with `emailVerified: true`, and
 * prefer the id, which no one else can get later.
 */
export type OldSessionUser =
  { externalId: string | number | bigint } | { id: string } | { email: string; emailVerified: true };

export interface OldSession {
  /** Null if the session is not signed in. An id is an `externalId`. */
  user: OldSessionUser | string | number | bigint | null | undefined;
  /** When the user signed in, if that is known. */
  signedInAt?: Date | undefined;
  /** When the old session ends, if that is known. */
  expiresAt?: Date | undefined;
}

/** A session that a request presents. Its signature, if it has one, has been verified. */
export interface PresentedSession {
  /** What identifies it, the same for every spelling: it counts once. */
  id: string;
  /** When it ends, if nothing can extend it, as nothing extends a signed token. */
  expiresAt?: Date | undefined;
  /** Looks the session up. Resolves null if it does not exist or has ended. */
  load(): Promise<OldSession | null>;
  /** Ends it in the old system. */
  end?(): Promise<void>;
  /** Whether browsers send it by themselves, as they send a cookie. */
  isAmbient: boolean;
  /** The cookies that present it: they are cleared when it has been replaced. */
  cookies?: readonly OldCookie[];
}

export interface OldCookie {
  name: string;
  domain?: string | undefined;
  path?: string | undefined;
}

/** Finds the sessions of one former system. */
export interface SessionSource {
  /** In the log and the method of the sign-in, such as `express-session`. */
  name: string;
  /** Returns the sessions that a request presents, without a lookup. Empty if it presents none, or a forged one. */
  find(request: SessionRequest): PresentedSession[] | Promise<PresentedSession[]>;
  /** What an account with a second factor in this service needs: `accept` (default) or `ask`. */
  secondFactor?: 'accept' | 'ask' | undefined;
}
