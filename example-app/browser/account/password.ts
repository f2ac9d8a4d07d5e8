/** Sets a first password, or changes the existing one. */
import { auth } from '../auth.js';
import { get, say } from '../dom.js';
import { onSubmit } from '../forms.js';
import { again } from '../sign-in-again.js';

export async function startPassword(devicesChanged: () => unknown): Promise<void> {
  const form = get<HTMLFormElement>('change-password');
  const current = get<HTMLInputElement>('current-password');
  const showCurrentPassword = (hasPassword: boolean) => {
    get('current-password-part').hidden = !hasPassword;
    // A disabled field is neither required nor sent.
    current.disabled = !hasPassword;
  };
  showCurrentPassword(false);
  onSubmit(form, async ({ currentPassword, newPassword = '' }) => {
    const isFirst = current.disabled;
    await again(() =>
      auth.account.changePassword({ newPassword, ...(currentPassword && { currentPassword }) }),
    );
    form.reset();
    showCurrentPassword(true);
    devicesChanged();
    // A first password ends no session: no device has signed in with a password before.
    say(isFirst ? 'Password saved.' : 'Password saved. Your other devices have been signed out.');
  });
  showCurrentPassword((await auth.account.get()).hasPassword);
}
