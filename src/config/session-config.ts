/** The options of sessions. */
import type { SessionSource } from '../core/sessions/session-source.js';
import type { SessionCacheStore } from '../storage/session-cache-store.js';

export interface SessionConfig {
  /** Signs session tokens, links and codes: 32 bytes or more, kept secret. */
  secret: string | undefined;
  /** Secrets that still verify after a rotation. Default: `[]`. */
  previousSecrets?: string[] | undefined;
  /** Lifetime of a session in milliseconds. Default: `604800000` (7 days). */
  ttlMs?: number | undefined;
  /**
   * Lifetime in milliseconds of a session that the browser forgets when it closes (`remember: false` at
   * sign-in). If absent, `ttlMs`.
   */
  unrememberedTtlMs?: number | undefined;
  /** A session in use is extended after this many milliseconds; 0 = never. Default: `86400000` (1 day). */
  renewAfterMs?: number | undefined;
  /**
   * Maximum age of a session since sign-in in milliseconds, including renewals. Default: `2592000000` (30
   * days).
   */
  maxAgeMs?: number | undefined;
  /**
   * How many sessions and refresh tokens a user may have at once: a sign-in beyond it ends the oldest. If
   * absent, any number.
   */
  maxPerUser?: number | undefined;
  /** The session cookie. It is always HttpOnly. */
  cookie?: SessionCookieConfig | undefined;
  /**
   * Keeps checked sessions in the process, so that guards and `GET /session` run no query. Off by default:
   * see when to use it.
   */
  cache?: SessionCacheConfig | undefined;
  /**
   * Tokens instead of cookies, for an application on another site: bearer sessions. `true`, or an object.
   * Default: `false`.
   */
  bearer?: boolean | BearerSessionConfig | undefined;
  /**
   * Binds sessions to a key of the browser, if the browser can (Device Bound Session Credentials): a copied
   * cookie is worthless after `ttlMs`. `true`, or an object. Default: `false`.
   */
  bound?: boolean | BoundSessionConfig | undefined;
  /** Sessions of a former system, each of which is replaced once. Default: `[]`. */
  acceptSessionsFrom?: SessionSource[] | undefined;
  /**
   * When sessions of the former system are no longer accepted. Set it: without it they are accepted until you
   * remove them.
   */
  acceptSessionsUntil?: Date | undefined;
  /** Signed into tokens and enforced if set. */
  issuer?: string | undefined;
  /** Signed into tokens and enforced if set. */
  audience?: string | undefined;
}

export interface SessionCookieConfig {
  /**
   * Its name. A name that begins with `__Host-` or `__Secure-` requires `secure: true`; `__Host-` also
   * requires `path: "/"` and no `domain`. Default: `svc_session`.
   */
  name?: string | undefined;
  /** Its Secure attribute. `auto`: set in production and on https requests. Default: `auto`. */
  secure?: boolean | 'auto' | undefined;
  /** Its SameSite attribute. `none` requires a secure cookie. Default: `lax`. */
  sameSite?: 'lax' | 'strict' | 'none' | undefined;
  /** Its path. Guards also protect routes outside the router, so `/` is usually right. Default: `/`. */
  path?: string | undefined;
  /** Its domain. If absent, the cookie is sent to this host only; if set, also to every subdomain. */
  domain?: string | undefined;
}

export interface SessionCacheConfig {
  /**
   * How long a session may still be accepted after another process has ended it, if notifications are lost:
   * 100 to 60,000 milliseconds. Default: `5000` (5 seconds).
   */
  maxStaleMs?: number | undefined;
  /**
   * A store that all processes share: `redisSessionCache(client)` of `svc-auth/redis`. If absent, each
   * process remembers its own checks, and the database announces changes.
   */
  store?: SessionCacheStore | undefined;
}

export interface BearerSessionConfig {
  /** Lifetime of an access token in milliseconds. Default: `900000` (15 minutes). */
  accessTtlMs?: number | undefined;
  /**
   * How long the previous refresh token still returns the current one, in milliseconds; 0 = strict. Default:
   * `10000` (10 seconds).
   */
  graceMs?: number | undefined;
  /**
   * Whether a client may bind its session to a key (DPoP), or must: `required` refuses sign-ins and refreshes
   * without a proof. Default: `accepted`.
   */
  dpop?: 'accepted' | 'required' | undefined;
  /**
   * The origin of the routes as clients know it, which the proofs of keys must name. If absent, that of the
   * request: set it behind a proxy that changes the `Host` header.
   */
  origin?: string | undefined;
}

export interface BoundSessionConfig {
  /**
   * Lifetime of the cookie of a bound session in milliseconds: 10 seconds to one hour. The browser replaces
   * it with a proof of its key. Default: `600000` (10 minutes).
   */
  ttlMs?: number | undefined;
  /** Where `createAuthRouter` is mounted. Default: `/api/auth`. */
  path?: string | undefined;
}
