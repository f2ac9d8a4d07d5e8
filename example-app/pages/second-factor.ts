/** The second step of a sign-in: an authenticator code or a recovery code. On the sign-in page and in the dialog. */
import { codeField, field, form, stepButton } from './fields.js';
import { html, type Html } from './html.js';

export function secondFactor({ id, hidden }: { id: string; hidden: boolean }): Html {
  return html`<div id="${id}" ${hidden && 'hidden'}>
    <div>
      <h1 tabindex="-1">One more step</h1>
      <p class="soft">Your account is protected by two-factor authentication.</p>
    </div>
    <div class="steps">
      ${form(
        { id: `${id}-code`, route: '/mfa/verify', submit: 'Sign in', busy: 'Checking…' },
        codeField(`${id}-app-code`, 'Authenticator code', 'Open your authenticator app to see the code.'),
        stepButton(`${id}-recovery`, 'Use a recovery code'),
      )}
      ${form(
        {
          id: `${id}-recovery`,
          route: '/mfa/verify',
          submit: 'Sign in',
          busy: 'Checking…',
          hidden: true,
        },
        field({
          id: `${id}-recovery-code`,
          name: 'recoveryCode',
          label: 'Recovery code',
          autocomplete: 'off',
          hint: 'Each recovery code works once.',
        }),
        stepButton(`${id}-code`, 'Use your authenticator app'),
      )}
    </div>
    ${id === 'second-factor' && html`<button type="button" class="quiet" data-step="first-step">Start over</button>`}
  </div>`;
}
