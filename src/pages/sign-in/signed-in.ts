/** Whether the browser has a session. */
import { findSession, type Authenticated } from '../../http/authenticate.js';
import { isOfGuest } from '../../http/guest-sessions.js';
import type { Entry } from '../page.js';

/** Returns the session of the browser, or null. */
export function sessionOf({ req, res, service }: Entry): Promise<Authenticated | null> {
  return findSession(service, req, res);
}

/** Returns the session of the browser, or null, and whether it is a guest's. For pages that need to know both. */
export async function visitorOf(entry: Entry): Promise<{ caller: Authenticated | null; isGuest: boolean }> {
  const caller = await sessionOf(entry);
  return { caller, isGuest: caller !== null && (await isOfGuest(entry.service, caller.session)) };
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
