/** Sessions of express-session in any of its stores: its cookie is `s:`, the id, a period and the signature (cookie-signature). */
import type { IncomingMessage } from 'node:http';
import { hasMethod } from '../core/support/has-method.js';
import type { OldSession, PresentedSession, SessionSource } from '../core/sessions/session-source.js';
import { checkOptions, refuseOption } from '../errors/options.js';
import { checkCookieName, checkFunction, secretsOf, verifiedValue } from './cookies.js';
import { asDate, checkSecondFactor, type OldUser, type SourceOptions } from './options.js';

/** What this uses of a store, as express-session requires it of every store. */
export interface ExpressSessionStore {
  get(sid: string, callback: (error: unknown, session?: unknown) => void): void;
  destroy(sid: string, callback?: (error?: unknown) => void): void;
}

/** A session as the store returns it, with what Passport has added. */
export interface ExpressSessionData {
  cookie?: { expires?: Date | string | null };
  passport?: { user?: string | number };
  [name: string]: unknown;
}

export interface ExpressSessionOptions<Data = ExpressSessionData> extends SourceOptions {
  /** The store of the former system, such as connect-pg-simple or connect-redis. */
  store: ExpressSessionStore;
  /** The secret of express-session, or all of them. */
  secret: string | readonly string[];
  /** Returns the user of a session: `(session) => session.passport?.user`. An id is an `externalId`. */
  userId: (session: Data) => OldUser;
  /** Returns when the user signed in, if the session says it. */
  signedInAt?: (session: Data) => Date | string | number | null | undefined;
  /** `name` of express-session. Default: `connect.sid`. */
  cookieName?: string;
  /** `cookie.domain` of express-session, if it has one, so that the cookie can be cleared. */
  cookieDomain?: string;
  /** `cookie.path` of express-session. Default: `/`. */
  cookiePath?: string;
}

/** The session that the middleware of express-session has read, if the application still uses it. */
interface WithSession extends IncomingMessage {
  sessionID?: unknown;
  session?: unknown;
}

/**
 * Accepts sessions of express-session, once each. The session is destroyed in its store.
 * @throws ConfigError for invalid options.
 */
export function expressSession<Data = ExpressSessionData>(
  options: ExpressSessionOptions<Data>,
): SessionSource {
  const call = 'expressSession(…)';
  checkOptions(call, options, [
    'store',
    'secret',
    'userId',
    'signedInAt',
    'cookieName',
    'cookieDomain',
    'cookiePath',
    'secondFactor',
  ]);
  const { store, userId, signedInAt, cookieName = 'connect.sid', secondFactor } = options;
  if (!hasMethod(store, 'get') || !hasMethod(store, 'destroy'))
    refuseOption(`${call}.store`, 'must be a store of express-session');
  const secrets = secretsOf(`${call}.secret`, options.secret);
  checkFunction(`${call}.userId`, userId);
  checkFunction(`${call}.signedInAt`, signedInAt, true);
  checkCookieName(`${call}.cookieName`, cookieName);
  checkSecondFactor(call, secondFactor);
  const cookies = [{ name: cookieName, domain: options.cookieDomain, path: options.cookiePath }];

  const present = (sid: string, request: WithSession): PresentedSession => ({
    id: sid,
    isAmbient: true,
    cookies,
    async load() {
      const data = await callBack((done) => store.get(sid, done));
      if (typeof data !== 'object' || data === null) return null;
      const session = data as Data;
      const loaded: OldSession = {
        user: userId(session),
        signedInAt: asDate(signedInAt?.(session)),
        expiresAt: asDate((data as ExpressSessionData).cookie?.expires),
      };
      return isNobody(loaded.user) ? null : loaded;
    },
    async end() {
      const { session, sessionID } = request;
      // The middleware would save it again at the end of the response.
      if (sessionID === sid && isDestroyable(session)) await callBack((done) => session.destroy(done));
      else await callBack((done) => store.destroy(sid, done));
    },
  });

  return {
    name: 'express-session',
    secondFactor,
    find: ({ cookies: read, request }) =>
      read(cookieName).flatMap((value) => {
        const sid = value.startsWith('s:')
          ? verifiedValue(value.slice(2), secrets, { isPadded: false })
          : null;
        return sid === null ? [] : [present(sid, request)];
      }),
  };
}

function isNobody(user: OldUser): boolean {
  return user === null || user === undefined;
}

function isDestroyable(
  session: unknown,
): session is { destroy: (callback: (error?: unknown) => void) => unknown } {
  return hasMethod(session, 'destroy');
}

/** Calls a function of a store, which may call back, throw, or do neither. */
function callBack(run: (done: (error?: unknown, value?: unknown) => void) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    run((error, value) => {
      if (error)
        reject(error instanceof Error ? error : new Error('The store has failed.', { cause: error }));
      else resolve(value);
    });
  });
}
