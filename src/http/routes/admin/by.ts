/** The administrator as the author of a change. */
import type { AdministrativeChange } from '../../../core/sessions/change-by.js';
import type { SignedInCall } from '../../endpoint.js';

/** Returns the administrator, with the epoch and the roles that the storage compares when it makes the change. */
export function by({ me, session: { user } }: Pick<SignedInCall<unknown>, 'me' | 'session'>) {
  const change: AdministrativeChange = {
    actor: { type: 'user', id: me.id },
    sessionEpoch: user.epoch,
    sessionRoles: user.roles,
  };
  return change;
}
