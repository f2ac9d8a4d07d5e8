/** What the router and the guards use of a service. A registered symbol leads to it, so that copies of the package agree. */
import type { TokenPair } from '../../domain/refresh-family.js';
import type { ServiceError } from '../../errors/service-error.js';
import type { Clock } from './clock.js';
import type { FormTokens } from '../sessions/form-tokens.js';
import type { KnownDevices } from '../limits/known-devices.js';
import type { Limiter } from '../limits/limiter.js';
import type { LinkTargets } from '../mail/link-targets.js';
import type { Logger } from './logger.js';
import type { RequestContext, SignInResult } from '../sessions/sign-in.js';
import type { Sessions } from '../sessions/sessions.js';

export const internals = Symbol.for('svc-auth.internals');

export interface CookieOptions {
  name: string;
  secure: boolean | 'auto';
  sameSite: 'lax' | 'strict' | 'none';
  path: string;
  domain?: string;
}

/** Returns whether browsers accept a cookie of this name only from its host, so that no sibling subdomain can set it (RFC 6265bis, 4.1.3.2). */
export function isOfHost(cookieName: string): boolean {
  return /^__host-/i.test(cookieName);
}

/** Completes a sign-in that requires a second factor. */
export interface SecondStep {
  finishSignIn(
    input: { token: string; code?: string; recoveryCode?: string },
    context: RequestContext,
  ): Promise<SignInResult>;
}

/** Exchanges a refresh token. */
interface TokenRefresh {
  refresh(refreshToken: string): Promise<TokenPair>;
}

/** Signs in with a passkey. */
interface PasskeySignIn {
  startAuthentication(
    userId: undefined,
    context: RequestContext,
  ): Promise<{ options: unknown; challenge: string }>;
  finishAuthentication(
    // Unchecked input of the browser, which the provider checks.
    input: { response: never; expectedChallenge: string },
    context: RequestContext,
  ): Promise<SignInResult>;
}

/**
 * Sign-ins with methods that accounts already have. They work without a valid license too: an expired license must not lock users out.
 * Each function throws ProviderNotConfiguredError.
 */
export interface ExistingSignIns {
  readonly refresh: () => TokenRefresh;
  readonly totp: () => SecondStep;
  readonly webauthn: () => PasskeySignIn;
}

/** Where redirects of the routes lead by default. `createPages` sets them. */
export interface PageTargets {
  success?: string;
  failure?: (error: ServiceError) => string;
}

export interface ServiceInternals {
  readonly clock: Clock;
  /** The length of a mailed code. */
  readonly codeDigits: number;
  readonly cookie: CookieOptions;
  /** For the forms of server-rendered pages. */
  readonly formTokens: FormTokens;
  readonly knownDevices: KnownDevices;
  /** For limits of the routes, in addition to those of the providers: their callers are not trusted. */
  readonly limiter: Limiter;
  /** Origins that may post to the routes, in addition to the request's own. */
  readonly linkTargets: LinkTargets;
  readonly logger: Logger;
  readonly pageTargets: PageTargets;
  /**
   * How long after its creation an account may be used with an unverified address, in milliseconds. Null if unverified addresses are
   * not refused.
   */
  readonly unverifiedGraceMs: number | null;
  readonly sessions: Sessions;
  readonly existing: ExistingSignIns;
}
