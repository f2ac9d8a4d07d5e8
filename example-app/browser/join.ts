/** The page behind the link of an invitation. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onSubmit } from './forms.js';
import { forgetInvite, keepInvite, pendingInvite } from './invite.js';
import { show, takeQuery } from './steps.js';

const wrongAccount =
  'This invitation was sent to a different address, or you have not verified yours yet. Use a different account, or verify your address first.';

const fromAddress = takeQuery().get('token');
if (fromAddress) keepInvite(fromAddress);
const token = pendingInvite();
if (!token) show('invite-needs-link');

// There when somebody is signed in.
const accept = document.querySelector<HTMLFormElement>('#accept');
if (accept && token) {
  for (const link of document.querySelectorAll('#invited a')) link.addEventListener('click', forgetInvite);
  onSubmit(accept, async () => {
    try {
      await auth.orgs.invites.accept({ token });
    } catch (error) {
      if (codeOf(error) === 'not_authorized') throw new Error(wrongAccount, { cause: error });
      if (codeOf(error) !== 'token_invalid') throw error;
      forgetInvite();
      return show('invite-needs-link');
    }
    forgetInvite();
    await leaveFor('/account#organisations');
  });
  // The invitation stays in this tab, and is there again after the sign-in.
  onSubmit(get<HTMLFormElement>('switch'), async () => {
    await auth.logout();
    await leaveFor('/sign-in?notice=join');
  });
}
