/** Whether the browser has a session. */
import type { LiveSession } from '../../core/sessions/session-checks.js';
import { isServiceError } from '../../errors/service-error.js';
import { authenticateAnyUser } from '../../http/authenticate.js';
import type { Visit } from '../page.js';

/** Returns the session of the browser, or null. */
export async function sessionOf({ req, res, service }: Visit): Promise<LiveSession | null> {
  try {
    return (await authenticateAnyUser(service, req, res)).session;
  } catch (error) {
    if (isServiceError(error) && ['token_invalid', 'user_not_found'].includes(error.code)) return null;
    throw error;
  }
}

/** Returns the session of a guest, or null. Guests sign up, or sign in to the account that they have. */
export async function guestSessionOf(visit: Visit): Promise<LiveSession | null> {
  const session = await sessionOf(visit);
  return session !== null && (await isGuest(visit, session)) ? session : null;
}

/** Returns whether the browser is signed in to an account that is not a guest's. */
export async function isAccountHolder(visit: Visit): Promise<boolean> {
  const session = await sessionOf(visit);
  return session !== null && !(await isGuest(visit, session));
}

async function isGuest({ service }: Visit, { user }: LiveSession): Promise<boolean> {
  // A user with an address is not a guest, and costs no query.
  return user.email === null && (await service.users.get(user.id)).isGuest;
}
