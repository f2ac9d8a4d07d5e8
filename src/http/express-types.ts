/**
 * Types for the properties that the guards set on a request; compatible with other middleware such
 * as Passport.
 */
import type { PublicApiKey } from '../domain/api-key.js';
import type { ServiceUser } from '../domain/user.js';
import type { RequestAuth } from './require-session.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the only way to extend Express's types
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an interface, so that other packages can extend it
    interface User extends ServiceUser {}
    interface Request {
      /**
       * The signed-in user. Set by `requireSession`, and by `optionalSession` if there is a
       * session.
       */
      user?: User | undefined;
      /** The session token and its claims. Set by the session guards. */
      svcAuth?: RequestAuth | undefined;
      /** The API key of the request. Set by `requireApiKey`. */
      apiKey?: PublicApiKey | undefined;
    }
  }
}
