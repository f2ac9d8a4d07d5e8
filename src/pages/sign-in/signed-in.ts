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

export async function isSignedIn(visit: Visit): Promise<boolean> {
  return (await sessionOf(visit)) !== null;
}
