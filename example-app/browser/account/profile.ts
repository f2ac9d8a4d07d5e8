/** The email address: verifies it, or changes it with codes sent to the new and the current address. */
import { auth } from '../auth.js';
import { get, say } from '../dom.js';
import { leaveFor, onSubmit } from '../forms.js';
import { again } from '../sign-in-again.js';
import { goTo } from '../steps.js';

const form = (id: string) => get<HTMLFormElement>(id);

function showVerified(): void {
  get('verified').hidden = false;
  get('unverified').hidden = true;
  get('send-verification').hidden = true;
}

export function startProfile(): void {
  onSubmit(form('send-verification'), async () => {
    const { expiresAt } = await auth.account.sendVerification();
    if (expiresAt === null) return showVerified();
    goTo('verify-email');
  });
  onSubmit(form('verify-email'), async ({ code = '' }) => {
    await auth.account.verifyEmail({ code });
    showVerified();
    goTo('profile-idle');
    say('Email address verified.');
  });

  const currentCode = get<HTMLInputElement>('current-email-code');
  const showCurrentCode = (sent: boolean) => {
    get('current-code-part').hidden = !sent;
    // A disabled field is neither required nor sent.
    currentCode.disabled = !sent;
  };
  // A reload may show this step again: the current address receives a code if it is verified.
  showCurrentCode(document.querySelector('#verified:not([hidden])') !== null);
  onSubmit(form('change-email'), async ({ email = '' }) => {
    const { currentCodeSent } = await again(() => auth.account.changeEmail({ email }));
    showCurrentCode(currentCodeSent);
    goTo('confirm-email', { email });
  });
  onSubmit(form('confirm-email'), async ({ email = '', code = '', currentCode }) => {
    const change = { email, code, ...(currentCode && { currentCode: currentCode.replace(/\s/g, '') }) };
    await again(() => auth.account.confirmEmail(change));
    await leaveFor('/account?notice=email-changed');
  });
}
