/** Another password, or a first one. */
import { auth } from '../auth.js';
import { get, say } from '../dom.js';
import { onSubmit } from '../forms.js';
import { again } from '../sign-in-again.js';

export async function startPassword(devicesChanged: () => unknown): Promise<void> {
  const form = get<HTMLFormElement>('change-password');
  const current = get<HTMLInputElement>('current-password');
  const askForCurrent = (hasPassword: boolean) => {
    get('current-password-part').hidden = !hasPassword;
    // What is disabled is neither required nor sent.
    current.disabled = !hasPassword;
  };
  askForCurrent(false);
  onSubmit(form, async ({ currentPassword, newPassword = '' }) => {
    const isFirst = current.disabled;
    await again(() =>
      auth.account.changePassword({ newPassword, ...(currentPassword && { currentPassword }) }),
    );
    form.reset();
    askForCurrent(true);
    devicesChanged();
    // A first one ends nothing: no device got in by a password before.
    say(isFirst ? 'The password is saved.' : 'The password is saved. Every other device is signed out.');
  });
  askForCurrent((await auth.account.get()).hasPassword);
}
