/** Sessions of guests, who have no account that they could sign in to again. */
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { Service } from '../engine/service.js';

export async function isOfGuest(service: Service, { user }: Pick<LiveSession, 'user'>): Promise<boolean> {
  // A user with an address is not a guest, and costs no query.
  return user.email === null && (await service.users.get(user.id)).isGuest;
}
