/** The sign-in page: every method is one call of the client; what comes after it is the same for all. */
import { auth, codeOf } from './auth.js';
import { get } from './dom.js';
import { leaveFor, onSubmit, showError } from './forms.js';
import { onSecondFactor } from './second-factor.js';
import { keepReturnTo, takeReturnTo } from './return-to.js';
import { goTo, restoreSteps, show, startAt, takeQuery } from './steps.js';

const form = (id: string) => get<HTMLFormElement>(id);

/** Signs in, and goes on to the product, or to the second step where the account has one. */
async function enter(signIn: Promise<unknown>): Promise<void> {
  try {
    await signIn;
  } catch (error) {
    if (codeOf(error) !== 'mfa_required') throw error;
    return goTo('second-factor');
  }
  await leaveFor(takeReturnTo() ?? '/');
}

const query = takeQuery();
// The browser keeps the fragment of the page that was asked for.
const next = query.get('next');
if (next !== null) keepReturnTo(next + location.hash);

onSubmit(form('code-send'), async ({ email = '' }) => {
  await auth.emailCode.send({ email });
  goTo('code-verify', { email });
});
onSubmit(form('code-verify'), ({ email = '', code = '' }) => enter(auth.emailCode.verify({ email, code })));

onSubmit(form('link-send'), async ({ email = '' }) => {
  await auth.magicLink.send({ email });
  goTo('link-sent', { email });
});

onSubmit(form('login'), ({ email = '', password = '' }) => enter(auth.password.login({ email, password })));
onSubmit(form('signup'), ({ email = '', password = '' }) => enter(auth.password.signup({ email, password })));
onSubmit(form('forgot'), async ({ email = '' }) => {
  await auth.password.requestReset({ email });
  goTo('forgot-sent', { email });
});

onSubmit(form('phone-send'), async ({ phone = '' }) => {
  await auth.phone.send({ phone });
  goTo('phone-verify', { phone });
});
onSubmit(form('phone-verify'), ({ phone = '', code = '' }) => enter(auth.phone.verify({ phone, code })));

onSubmit(form('passkey'), () => enter(auth.passkeys.authenticate()));
onSubmit(form('guest'), () => enter(auth.guest.create()));
onSecondFactor('second-factor', () => leaveFor(takeReturnTo() ?? '/'));

// An address that was typed for one method is there for the others.
const addresses = [...document.querySelectorAll<HTMLInputElement>('input[type=email]')];
for (const input of addresses) {
  input.addEventListener('input', () => addresses.forEach((other) => (other.value = input.value)));
}

restoreSteps();
if (location.hash === '#forgot') show('forgot');
if (query.get('error') === 'mfa_required') startAt('second-factor');

/** Passkeys among the suggestions of the address field, where the browser does that. */
function suggestPasskeys(): void {
  // Not while the button asks: a browser asks one thing at a time.
  if (document.visibilityState === 'hidden' || form('passkey').querySelector('[aria-disabled]')) return;
  enter(auth.passkeys.authenticate({ autofill: true })).catch((error: unknown) => {
    // The button ends the waiting; so does the next round.
    if (codeOf(error) !== 'passkey_cancelled') showError(form('passkey'), error);
  });
}
if ((await auth.passkeys.support()).autofill) {
  suggestPasskeys();
  // A challenge is good for five minutes, and for the tab that asked last.
  setInterval(suggestPasskeys, 4 * 60_000);
  document.addEventListener('visibilitychange', suggestPasskeys);
}
