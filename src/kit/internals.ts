/** How the router and the guards reach into a service: by a registered symbol, so that copies of the package agree. */
import type { TokenPair } from '../domain/refresh-family.js';
import type { Clock } from './clock.js';
import type { KnownDevices } from './known-devices.js';
import type { Limiter } from './limiter.js';
import type { LinkTargets } from './link-targets.js';
import type { Logger } from './logger.js';
import type { RequestContext, SignInResult } from './sign-in.js';
import type { Sessions } from './sessions.js';

export const internals = Symbol.for('svc-auth.internals');

export interface CookieOptions {
  name: string;
  secure: boolean | 'auto';
  sameSite: 'lax' | 'strict' | 'none';
  path: string;
  domain?: string;
}

/** Whether browsers take a cookie of this name from its host alone, which no sibling subdomain can plant (RFC 6265bis, 4.1.3.2). */
export function isOfHost(cookieName: string): boolean {
  return /^__host-/i.test(cookieName);
}

/** What ends the wait of a sign-in for its second factor. */
export interface SecondStep {
  finishSignIn(
    input: { token: string; code?: string; recoveryCode?: string },
    context: RequestContext,
  ): Promise<SignInResult>;
}

/** What a refresh token is exchanged by. */
interface TokenRefresh {
  refresh(refreshToken: string): Promise<TokenPair>;
}

/** What a sign-in by passkey takes. */
interface PasskeySignIn {
  startAuthentication(
    userId: undefined,
    context: RequestContext,
  ): Promise<{ options: unknown; challenge: string }>;
  finishAuthentication(
    // As the browser sent it: the provider checks it.
    input: { response: never; expectedChallenge: string },
    context: RequestContext,
  ): Promise<SignInResult>;
}

/**
 * The sign-ins by what an account already has. They work whether or not the license is valid: a license that ends must not lock anyone
 * out. Each throws ProviderNotConfiguredError.
 */
export interface ExistingSignIns {
  readonly refresh: () => TokenRefresh;
  readonly totp: () => SecondStep;
  readonly webauthn: () => PasskeySignIn;
}

export interface ServiceInternals {
  readonly clock: Clock;
  readonly cookie: CookieOptions;
  readonly knownDevices: KnownDevices;
  /** For what the routes limit beside what providers do: their callers are strangers. */
  readonly limiter: Limiter;
  /** Origins that may post to the routes, beside the request's own. */
  readonly linkTargets: LinkTargets;
  readonly logger: Logger;
  readonly sessions: Sessions;
  readonly existing: ExistingSignIns;
}
