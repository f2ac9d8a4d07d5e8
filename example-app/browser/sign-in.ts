/** The sign-in page: every method is one call of the client, and continues in the same way. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onResend, onSubmit, showError } from './forms.js';
import { onSecondFactor } from './second-factor.js';
import { keepReturnTo, takeReturnTo } from './return-to.js';
import { goTo, restoreSteps, show, startAt, takeQuery } from './steps.js';

const form = (id: string) => get<HTMLFormElement>(id);

/** Signs in and opens the product, or shows the second step if the account requires one. */
async function signInWith(signIn: Promise<unknown>): Promise<void> {
  try {
    await signIn;
  } catch (error) {
    if (codeOf(error) !== 'mfa_required') throw error;
    return goTo('second-factor');
  }
  await leaveFor(takeReturnTo() ?? '/');
}

const query = takeQuery();
// The browser keeps the fragment of the requested page across the redirect.
const next = query.get('next');
if (next !== null) keepReturnTo(next + location.hash);

onSubmit(form('code-send'), async ({ email = '' }) => {
  await auth.emailCode.send({ email });
  goTo('code-verify', { email });
});
onSubmit(form('code-verify'), ({ email = '', code = '' }) =>
  signInWith(auth.emailCode.verify({ email, code })),
);
onResend(form('code-verify'), ({ email = '' }) => auth.emailCode.send({ email }));

onSubmit(form('link-send'), async ({ email = '' }) => {
  await auth.magicLink.send({ email });
  goTo('link-sent', { email });
});

onSubmit(form('login'), ({ email = '', password = '' }) =>
  signInWith(auth.password.login({ email, password })),
);
onSubmit(form('signup'), ({ email = '', password = '' }) =>
  signInWith(auth.password.signup({ email, password })),
);
onSubmit(form('forgot'), async ({ email = '' }) => {
  await auth.password.requestReset({ email });
  goTo('forgot-sent', { email });
});

onSubmit(form('phone-send'), async ({ phone = '' }) => {
  await auth.phone.send({ phone });
  goTo('phone-verify', { phone });
});
onSubmit(form('phone-verify'), ({ phone = '', code = '' }) => signInWith(auth.phone.verify({ phone, code })));
onResend(form('phone-verify'), ({ phone = '' }) => auth.phone.send({ phone }));

onSubmit(form('passkey'), () => signInWith(auth.passkeys.authenticate()));
onSubmit(form('guest'), () => signInWith(auth.guest.create()));
onSecondFactor('second-factor', () => leaveFor(takeReturnTo() ?? '/'));

// An address typed for one method is filled in for the others.
const emailInputs = [...document.querySelectorAll<HTMLInputElement>('input[type=email]')];
for (const input of emailInputs) {
  input.addEventListener('input', () => emailInputs.forEach((other) => (other.value = input.value)));
}

restoreSteps();
if (location.hash === '#forgot') show('forgot');
if (query.get('error') === 'mfa_required') startAt('second-factor');

/** Offers passkeys among the suggestions of the address field, if the browser supports it. */
function suggestPasskeys(): void {
  // Not while the button is waiting: a browser handles one request at a time.
  if (document.visibilityState === 'hidden' || form('passkey').querySelector('[aria-disabled]')) return;
  signInWith(auth.passkeys.authenticate({ autofill: true })).catch((error: unknown) => {
    // The button and the next round cancel the pending request.
    if (codeOf(error) !== 'passkey_cancelled') showError(form('passkey'), error);
  });
}
if ((await auth.passkeys.support()).autofill) {
  suggestPasskeys();
  // A challenge is valid for five minutes, and only in the tab that requested the latest one.
  setInterval(suggestPasskeys, 4 * 60_000);
  document.addEventListener('visibilitychange', suggestPasskeys);
}
