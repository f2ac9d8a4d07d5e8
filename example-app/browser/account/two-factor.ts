/** The second factor: sets it up with a QR code, shows recovery codes, and turns it off. */
import { auth } from '../auth.js';
import { el, get, say } from '../dom.js';
import { onSubmit } from '../forms.js';
import { qrCode } from '../qr-code.js';
import { again } from '../sign-in-again.js';
import { show } from '../steps.js';

const form = (id: string) => get<HTMLFormElement>(id);

export async function startTwoFactor(devicesChanged: () => unknown): Promise<void> {
  async function refresh(): Promise<void> {
    const { enabled, recoveryCodesLeft } = await auth.totp.state();
    for (const id of ['totp-on', 'totp-enabled']) get(id).hidden = !enabled;
    for (const id of ['totp-off', 'totp-disabled']) get(id).hidden = enabled;
    get('codes-left').textContent = String(recoveryCodesLeft);
    get('totp-idle').removeAttribute('aria-busy');
  }

  function showCodes(codes: readonly string[]): void {
    get('recovery-codes').replaceChildren(...codes.map((code) => el('li', {}, el('code', {}, code))));
    get('copy-codes').dataset['copy'] = codes.join('\n');
    show('recovery');
    devicesChanged();
    void refresh();
  }

  onSubmit(form('totp-enroll'), async () => {
    const { secret, uri } = await again(() => auth.totp.enroll());
    get('totp-secret').textContent = secret.replace(/.{4}(?=.)/g, '$& ');
    get('totp-qr').replaceChildren(qrCode(uri, 'QR code for your authenticator app'));
    show('totp-confirm');
  });
  onSubmit(form('totp-confirm'), async ({ code = '' }) => {
    const { recoveryCodes } = await again(() => auth.totp.confirm({ code }));
    showCodes(recoveryCodes);
    say('Two-factor authentication turned on. Your other devices have been signed out.');
  });
  onSubmit(
    form('new-codes'),
    async () => {
      const { recoveryCodes } = await again(() => auth.totp.recoveryCodes());
      showCodes(recoveryCodes);
      say('Recovery codes replaced.');
    },
    {
      title: 'Replace your recovery codes?',
      text: 'Your current codes stop working, and your other devices are signed out.',
      verb: 'Replace codes',
    },
  );
  onSubmit(
    form('totp-disable'),
    async () => {
      await again(() => auth.totp.disable());
      await refresh();
      devicesChanged();
      say('Two-factor authentication turned off.');
    },
    {
      title: 'Turn off two-factor authentication?',
      text: 'You will sign in without an authenticator code. Your recovery codes stop working.',
      verb: 'Turn off two-factor',
    },
  );
  get('print-codes').addEventListener('click', () => window.print());
  get('codes-kept').addEventListener('click', () => {
    get('recovery-codes').replaceChildren();
    show('totp-idle');
  });
  await refresh();
}
