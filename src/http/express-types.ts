/** What the guards put on a request, typed beside other middleware such as Passport. */
import type { PublicApiKey } from '../domain/api-key.js';
import type { ServiceUser } from '../domain/user.js';
import type { RequestAuth } from './require-session.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- how Express's types are extended
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an interface, so that others can add to it
    interface User extends ServiceUser {}
    interface Request {
      /** The signed-in user, behind `requireSession`; maybe, behind `optionalSession`. */
      user?: User | undefined;
      /** The session token and its claims, set by the session guards. */
      svcAuth?: RequestAuth | undefined;
      /** The key of the request, behind `requireApiKey`. */
      apiKey?: PublicApiKey | undefined;
    }
  }
}
