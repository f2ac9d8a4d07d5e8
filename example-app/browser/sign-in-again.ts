/** Does what needs a recent sign-in: when the route answers `reauth_required`, asks for one and does it again. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { clearErrors, leaveFor, onSubmit } from './forms.js';
import { onSecondFactor, type SignedIn } from './second-factor.js';
import { show } from './steps.js';

const cancelled = () => Object.assign(new Error('Cancelled.'), { code: 'cancelled' });
let finish: (signedIn: boolean) => void = () => undefined;

/** @throws what `act` throws; an error with the code `cancelled` where the person would rather not. */
export async function again<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (codeOf(error) !== 'reauth_required') throw error;
  }
  if (!(await askAgain())) throw cancelled();
  return act();
}

function askAgain(): Promise<boolean> {
  const dialog = get<HTMLDialogElement>('again');
  const before = document.activeElement as HTMLElement | null;
  clearErrors(dialog);
  dialog.showModal();
  show('again-first');
  return new Promise<boolean>((resolve) => (finish = resolve)).finally(() => {
    dialog.close();
    before?.focus();
  });
}

export function startSignInAgain(): void {
  const dialog = get<HTMLDialogElement>('again');
  const form = (id: string) => document.querySelector<HTMLFormElement>(`form#${id}`);
  const on = (id: string, act: Parameters<typeof onSubmit>[1]) => {
    const found = form(id);
    if (found) onSubmit(found, act);
  };
  let to: { email: string } | { phone: string } = { email: '' };

  async function entered({ user }: SignedIn): Promise<void> {
    // Somebody else's passkey, for example: then neither this page nor what was asked for on it is theirs. Without `finish`,
    // nothing is done again: a key or a deletion would be for the wrong account.
    if (user.id !== dialog.dataset['user']) await leaveFor('/account');
    finish(true);
  }

  async function enter(signIn: Promise<SignedIn>): Promise<void> {
    try {
      await entered(await signIn);
    } catch (error) {
      if (codeOf(error) !== 'mfa_required') throw error;
      show('again-second-factor');
    }
  }

  on('again-passkey', () => enter(auth.passkeys.authenticate()));
  on('again-send', async ({ email = '' }) => {
    to = { email };
    await auth.emailCode.send(to);
    show('again-code');
  });
  on('again-text', async ({ phone = '' }) => {
    to = { phone };
    await auth.phone.send(to);
    show('again-code');
  });
  on('again-verify', ({ code = '' }) =>
    enter('email' in to ? auth.emailCode.verify({ ...to, code }) : auth.phone.verify({ ...to, code })),
  );
  on('again-login', ({ email = '', password = '' }) => enter(auth.password.login({ email, password })));
  if (form('again-second-factor-code')) onSecondFactor('again-second-factor', entered);
  dialog.querySelector('[data-close]')?.addEventListener('click', () => finish(false));
  // The Escape key.
  dialog.addEventListener('cancel', () => finish(false));
}
