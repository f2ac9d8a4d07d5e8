/** What the pages behind the sign-in have in common. */
import { auth } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onSubmit } from './forms.js';
import { pendingInvite } from './invite.js';

export function startShell(): void {
  onSubmit(get<HTMLFormElement>('logout'), async () => {
    await auth.logout();
    await leaveFor('/sign-in?notice=signed-out');
  });
  // Whoever came with an invitation and had to sign in first goes back to it.
  if (pendingInvite()) location.replace('/join');
}
