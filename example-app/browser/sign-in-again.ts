/** Does what needs a recent sign-in: when the route answers `reauth_required`, asks for one and does it again. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { clearErrors, leaveFor, onSubmit } from './forms.js';
import { onSecondFactor, type SignedIn } from './second-factor.js';
import { keepReturnTo } from './return-to.js';
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
  const ways = await waysOfAccount();
  if (!(await askAgain(ways))) throw cancelled();
  return act();
}

interface Ways {
  /** Names of `pages/sign-in-again.ts`. */
  names: string[];
  phone: string | undefined;
}

/** The ways in which this account can sign in now: passkeys and passwords come and go on this page. */
async function waysOfAccount(): Promise<Ways> {
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

function askAgain({ names, phone = '' }: Ways): Promise<boolean> {
  const dialog = get<HTMLDialogElement>('again');
  const before = document.activeElement as HTMLElement | null;
  clearErrors(dialog);
  for (const way of dialog.querySelectorAll<HTMLElement>('[data-way]')) {
    way.hidden = !names.includes(way.dataset['way']!);
  }
  dialog.showModal();
  show('again-first', { phone });
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
  // A provider has a page of its own: the sign-in ends here again, and the change is still to be made.
  for (const away of dialog.querySelectorAll('[data-away]')) {
    away.addEventListener('click', () => keepReturnTo('/account?notice=confirmed'));
  }
  dialog.querySelector('[data-close]')?.addEventListener('click', () => finish(false));
  // The Escape key.
  dialog.addEventListener('cancel', () => finish(false));
}
