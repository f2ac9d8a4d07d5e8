/** The page behind the link of a reset mail. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onSubmit } from './forms.js';
import { show, takeQuery } from './steps.js';

const token = takeQuery().get('token') ?? '';
if (!token) show('reset-needs-link');

onSubmit(get<HTMLFormElement>('reset'), async ({ newPassword = '', revokeCredentials }) => {
  try {
    // A checkbox is among the fields if it is checked.
    await auth.password.reset({ token, newPassword, ...(revokeCredentials && { revokeCredentials: true }) });
  } catch (error) {
    // The link was used or is too old: nothing to be mended in the form.
    if (codeOf(error) !== 'token_invalid') throw error;
    return show('reset-needs-link');
  }
  await leaveFor('/sign-in?method=password&notice=password-changed');
});
