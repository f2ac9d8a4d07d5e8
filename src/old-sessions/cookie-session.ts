/** Sessions of a system that has a table and an unsigned cookie, such as Lucia's. */
import type { OldSession, SessionSource } from '../core/sessions/session-source.js';
import { checkOptions } from '../errors/options.js';
import { checkCookieName, checkFunction, isPlausible } from './cookies.js';
import { checkSecondFactor, type SourceOptions } from './options.js';

export interface CookieSessionOptions extends SourceOptions {
  /** The cookie of the former system, such as `auth_session`. */
  cookieName: string;
  /** Looks up the session of the cookie's value. Returns null if it does not exist or has ended. */
  findSession: (token: string) => OldSession | null | Promise<OldSession | null>;
  /** Ends the session. */
  endSession: (token: string) => unknown;
  /** The domain of the cookie, if it has one, so that it can be cleared. */
  cookieDomain?: string;
  /** The path of the cookie. Default: `/`. */
  cookiePath?: string;
}

/**
 * Accepts sessions of a former system whose cookie names a row, once each.
 * @throws ConfigError for invalid options.
 */
export function cookieSession(options: CookieSessionOptions): SessionSource {
  const call = 'cookieSession(…)';
  checkOptions(call, options, [
    'cookieName',
    'findSession',
    'endSession',
    'cookieDomain',
    'cookiePath',
    'secondFactor',
  ]);
  const { cookieName, findSession, endSession, cookieDomain, cookiePath, secondFactor } = options;
  if (cookieName === undefined) checkCookieName(`${call}.cookieName`, null);
  checkCookieName(`${call}.cookieName`, cookieName);
  checkFunction(`${call}.findSession`, findSession);
  checkFunction(`${call}.endSession`, endSession);
  checkSecondFactor(call, secondFactor);
  const cookies = [{ name: cookieName, domain: cookieDomain, path: cookiePath }];
  return {
    name: 'cookie-session',
    secondFactor,
    find: ({ cookies: read }) =>
      read(cookieName)
        .filter(isPlausible)
        .map((token) => ({
          id: token,
          isAmbient: true,
          cookies,
          load: async () => (await findSession(token)) ?? null,
          end: async () => void (await endSession(token)),
        })),
  };
}
