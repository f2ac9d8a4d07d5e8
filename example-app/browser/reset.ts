/** The page that the link of a password reset email opens. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onSubmit } from './forms.js';
import { show, takeQuery } from './steps.js';

const token = takeQuery().get('token') ?? '';
if (!token) show('reset-needs-link');

onSubmit(get<HTMLFormElement>('reset'), async ({ newPassword = '', revokeCredentials }) => {
  try {
    // A form contains the field of a checkbox only if it is checked.
    await auth.password.reset({ token, newPassword, ...(revokeCredentials && { revokeCredentials: true }) });
  } catch (error) {
    // The link has expired or has already been used: the user cannot fix that in the form.
    if (codeOf(error) !== 'token_invalid') throw error;
    return show('reset-needs-link');
  }
  await leaveFor('/sign-in?method=password&notice=password-changed');
});
