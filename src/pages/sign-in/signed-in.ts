/** Whether the browser has a session. */
import type { LiveSession } from '../../core/sessions/session-checks.js';
import { findSession, type Authenticated } from '../../http/authenticate.js';
import type { Entry } from '../page.js';

/** Returns the session of the browser, or null. */
export function sessionOf({ req, res, service }: Entry): Promise<Authenticated | null> {
  return findSession(service, req, res);
}

/** Returns the session of the browser, or null, and whether it is a guest's. For pages that need to know both. */
export async function visitorOf(entry: Entry): Promise<{ caller: Authenticated | null; isGuest: boolean }> {
  const caller = await sessionOf(entry);
  return { caller, isGuest: caller !== null && (await belongsToGuest(entry, caller.session)) };
}

/** Returns the session of a guest, or null. Guests sign up, or sign in to the account that they have. */
export async function guestOf(entry: Entry): Promise<Authenticated | null> {
  const { caller, isGuest } = await visitorOf(entry);
  return isGuest ? caller : null;
}

/** Returns the session of an account that is not a guest's, or null. */
export async function accountHolderOf(entry: Entry): Promise<Authenticated | null> {
  const { caller, isGuest } = await visitorOf(entry);
  return isGuest ? null : caller;
}

async function belongsToGuest({ service }: Entry, { user }: LiveSession): Promise<boolean> {
  // A user with an address is not a guest, and costs no query.
  return user.email === null && (await service.users.get(user.id)).isGuest;
}
