/** Shared by the pages that require a session. */
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
  // A visitor who opened an invitation or another page and had to sign in first returns to it.
  const next = takeReturnTo();
  if (pendingInvite()) location.replace('/join');
  else if (next !== null && location.pathname === '/') location.replace(next);
}
