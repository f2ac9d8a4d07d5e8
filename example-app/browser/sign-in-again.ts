/** Asks the user to sign in again when a route returns `reauth_required`, then repeats the action. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { clearErrors, leaveFor, onSubmit } from './forms.js';
import { onSecondFactor, type SignedIn } from './second-factor.js';
import { keepReturnTo } from './return-to.js';
import { show } from './steps.js';

const canceled = () => Object.assign(new Error('Canceled.'), { code: 'canceled' });
let finish: (signedIn: boolean) => void = () => undefined;

/** @throws the error of `act`, or an error with the code `canceled` if the user closes the dialog. */
export async function again<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (codeOf(error) !== 'reauth_required') throw error;
  }
  const methods = await methodsOfAccount();
  if (!(await askAgain(methods))) throw canceled();
  return act();
}

interface Methods {
  /** The names that `pages/sign-in-again.ts` uses. */
  names: string[];
  phone: string | undefined;
}

/** Returns the methods that this account can sign in with now. They change as the user edits this page. */
async function methodsOfAccount(): Promise<Methods> {
  const [{ user, hasPassword, isGuest }, { passkeys }, { identities }] = await Promise.all([
    auth.account.get(),
    auth.passkeys.list(),
    auth.identities.list(),
  ]);
  if (isGuest) return { names: [], phone: undefined };
  const names = identities.map(({ provider }) => provider);
  if (passkeys.length > 0) names.push('passkey');
  if (user.email !== null) names.push('email');
  if (hasPassword) names.push('password');
  return { names, phone: identities.find(({ provider }) => provider === 'phone')?.providerAccountId };
}

function askAgain({ names, phone = '' }: Methods): Promise<boolean> {
  const dialog = get<HTMLDialogElement>('again');
  const focused = document.activeElement as HTMLElement | null;
  clearErrors(dialog);
  for (const method of dialog.querySelectorAll<HTMLElement>('[data-way]')) {
    method.hidden = !names.includes(method.dataset['way']!);
  }
  dialog.showModal();
  show('again-first', { phone });
  return new Promise<boolean>((resolve) => (finish = resolve)).finally(() => {
    dialog.close();
    focused?.focus();
  });
}

export function startSignInAgain(): void {
  const dialog = get<HTMLDialogElement>('again');
  const form = (id: string) => document.querySelector<HTMLFormElement>(`form#${id}`);
  const on = (id: string, act: Parameters<typeof onSubmit>[1]) => {
    const element = form(id);
    if (element) onSubmit(element, act);
  };
  let recipient: { email: string } | { phone: string } = { email: '' };

  async function onSignedIn({ user }: SignedIn): Promise<void> {
    // Another user may have signed in, for example with their passkey. The action must not run for that account: without
    // `finish`, it is not repeated.
    if (user.id !== dialog.dataset['user']) await leaveFor('/account');
    finish(true);
  }

  async function signInWith(signIn: Promise<SignedIn>): Promise<void> {
    try {
      await onSignedIn(await signIn);
    } catch (error) {
      if (codeOf(error) !== 'mfa_required') throw error;
      show('again-second-factor');
    }
  }

  on('again-passkey', () => signInWith(auth.passkeys.authenticate()));
  on('again-send', async ({ email = '' }) => {
    recipient = { email };
    await auth.emailCode.send(recipient);
    show('again-code');
  });
  on('again-text', async ({ phone = '' }) => {
    recipient = { phone };
    await auth.phone.send(recipient);
    show('again-code');
  });
  on('again-verify', ({ code = '' }) =>
    signInWith(
      'email' in recipient
        ? auth.emailCode.verify({ ...recipient, code })
        : auth.phone.verify({ ...recipient, code }),
    ),
  );
  on('again-login', ({ email = '', password = '' }) => signInWith(auth.password.login({ email, password })));
  if (form('again-second-factor-code')) onSecondFactor('again-second-factor', onSignedIn);
  // An identity provider redirects back to this page, where the user repeats the action.
  for (const link of dialog.querySelectorAll('[data-away]')) {
    link.addEventListener('click', () => keepReturnTo('/account?notice=confirmed'));
  }
  dialog.querySelector('[data-close]')?.addEventListener('click', () => finish(false));
  // The Escape key.
  dialog.addEventListener('cancel', () => finish(false));
}
