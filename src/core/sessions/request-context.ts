/** What a sign-in, or a change of an account, knows about its request. */
import type { DeviceInfo } from '../../domain/session.js';
import { parseOptions } from '../support/input.js';
import type { KeyProof } from './dpop-keys.js';
import type { LiveSession } from './session-checks.js';

/** A symbol, so that an object from a client cannot have this property. Registered, so that two copies of the package share it. */
export const routeCheck: unique symbol = Symbol.for('svc-auth.routeCheck');

/** What a route or a page of this package has checked before it calls a method. */
export interface RouteCheck {
  /** Null if it has read no session. */
  session: LiveSession | null;
  /** Whether it has checked an access that excludes administrators who impersonate the user. */
  inPerson: boolean;
}

/** A symbol, as `routeCheck`. */
export const otherTokens: unique symbol = Symbol.for('svc-auth.otherTokens');

/** A symbol, as `routeCheck`. */
export const endOldSessions: unique symbol = Symbol.for('svc-auth.endOldSessions');

/** A symbol, as `routeCheck`. */
export const keyProof: unique symbol = Symbol.for('svc-auth.keyProof');

/** The context of a request, besides its input. Every property is optional for programmatic callers. */
export interface RequestContext {
  /** IP address of the client. Limits per client apply if it is given. */
  ip?: string;
  /** Stored with the session, for a list of devices. */
  userAgent?: string;
  /**
   * The language that the client asks for, as a language tag. Mails have it, unless the account of the reader has chosen another. The
   * routes read it from the cookie `svc_language`, else from the header `Accept-Language`.
   */
  language?: string;
  /** Session token of the request, if any. Proves that the caller is already signed in to an account. */
  sessionToken?: string;
  /**
   * Epoch of the user when the request's session was checked. A change by the user is refused with `token_invalid` if all of the
   * user's sessions have ended since then. The routes set it; without it this is not checked.
   */
  sessionEpoch?: number;
  /**
   * Value of the `svc_device` cookie, if any. A browser that has signed in to the account before has separate limits, which strangers
   * cannot use up. The cookie does not authenticate.
   */
  deviceToken?: string;
  /**
   * Whether to start a session, which ends the session of `sessionToken`. The result then has `session`, or `pending` if the account
   * has a second factor. The routes set it.
   */
  startSession?: boolean;
  /**
   * Whether the browser keeps the session when it closes. Default true. If false, the cookie has no expiry, and the session lasts
   * `session.unrememberedTtlMs`. The routes set it from the request.
   */
  remember?: boolean;
  /**
   * With `startSession`: whether to start a bearer session (`session.bearer`). The result then has `bearer` instead of `session`, and
   * `sessionToken` is the access token of the request. The routes set it from the request.
   */
  bearer?: boolean;
  /**
   * Value of the cookie of a trusted browser, if any. It replaces the second factor of the user who trusted this browser, after the
   * first one.
   */
  trustToken?: string;
  /** Whether the second step trusts this browser. The result then has `trust`. Requires `totp.trustedBrowsers`. */
  trustBrowser?: boolean;
  /** Set by the routes and the pages of this package, always. Without it, the application is the caller. */
  [routeCheck]?: RouteCheck;
  /** Further session tokens of the browser, of cookies with another domain: a sign-in ends their sessions too. Only the routes set it. */
  [otherTokens]?: readonly string[];
  /**
   * Returns the proof of the key to which a bearer session is bound, if the request has one. Throws if it is invalid. Only the routes set it.
   */
  [keyProof]?: () => KeyProof | undefined;
  /** Ends the sessions of a former system that the browser sends: a sign-in replaces them too. Only the routes set it. */
  [endOldSessions]?: () => Promise<void>;
}

/** Returns the session tokens of a request: of several cookies, the first need not be valid. */
export function tokensOf({ sessionToken, [otherTokens]: others = [] }: RequestContext): string[] {
  return sessionToken === undefined ? [] : [sessionToken, ...others];
}

// As an object, so that the compiler reports a missing name.
const names = Object.keys({
  ip: true,
  userAgent: true,
  language: true,
  sessionToken: true,
  sessionEpoch: true,
  deviceToken: true,
  startSession: true,
  remember: true,
  bearer: true,
  trustToken: true,
  trustBrowser: true,
} satisfies Record<keyof RequestContext & string, true>) as (keyof RequestContext & string)[];

/** Returns the context of a call; without one, an empty object. @throws InvalidRequestError if it is not an object, or has an unknown key. */
export function parseContext(context: RequestContext | null | undefined): RequestContext {
  return parseOptions(context, names);
}

/** Returns the device of a request, as a session stores it. */
export function deviceOf({ ip, userAgent }: Pick<RequestContext, 'ip' | 'userAgent'>): DeviceInfo {
  return { ...(ip && { ip }), ...(userAgent && { userAgent }) };
}
