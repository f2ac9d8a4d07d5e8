/** The page that the link of an invitation opens. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onSubmit } from './forms.js';
import { forgetInvite, keepInvite, pendingInvite } from './invite.js';
import { show, takeQuery } from './steps.js';

const wrongAccount =
  'This invitation was sent to a different email address, or you have not verified yours. Use a different account or verify your email address.';

const tokenFromUrl = takeQuery().get('token');
if (tokenFromUrl) keepInvite(tokenFromUrl);
const token = pendingInvite();
if (!token) show('invite-needs-link');

// Present if the user is signed in.
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
    await leaveFor('/account#organizations');
  });
  // The invitation stays in this tab and is available again after the sign-in.
  onSubmit(get<HTMLFormElement>('switch'), async () => {
    await auth.logout();
    await leaveFor('/sign-in?notice=join');
  });
}
