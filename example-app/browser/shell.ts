/** What the pages behind the sign-in have in common. */
import { auth } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onSubmit } from './forms.js';
import { pendingInvite } from './invite.js';
import { takeReturnTo } from './return-to.js';

export function startShell(): void {
  onSubmit(get<HTMLFormElement>('logout'), async () => {
    await auth.logout();
    await leaveFor('/sign-in?notice=signed-out');
  });
  // A visitor who came with an invitation, or for another page, and had to sign in first goes back to it.
  const next = takeReturnTo();
  if (pendingInvite()) location.replace('/join');
  else if (next !== null && location.pathname === '/') location.replace(next);
}
