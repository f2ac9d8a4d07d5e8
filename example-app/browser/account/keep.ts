/** Upgrades a guest to a user, who keeps the notes. */
import { auth } from '../auth.js';
import { get } from '../dom.js';
import { leaveFor, onResend, onSubmit } from '../forms.js';
import { goTo } from '../steps.js';

const form = (id: string) => get<HTMLFormElement>(id);

export function startKeep(): void {
  onSubmit(form('keep-send'), async ({ email = '' }) => {
    await auth.guest.sendUpgrade({ email });
    goTo('keep-verify', { email });
  });
  onSubmit(form('keep-verify'), async ({ email = '', code = '' }) => {
    await auth.guest.upgrade({ email, code });
    await leaveFor('/');
  });
  onResend(form('keep-verify'), ({ email = '' }) => auth.guest.sendUpgrade({ email }));
  onSubmit(form('keep-password'), async ({ email = '', password = '' }) => {
    await auth.guest.upgrade({ email, password });
    await leaveFor('/');
  });
}
