/** The second step of a sign-in: a code of the app, or one of the recovery codes. On the sign-in page and in the dialog. */
import { codeField, field, form, stepButton } from './fields.js';
import { html, type Html } from './html.js';

export function secondFactor({ id, hidden }: { id: string; hidden: boolean }): Html {
  return html`<div id="${id}" ${hidden && 'hidden'}>
    <div>
      <h1 tabindex="-1">One more step</h1>
      <p class="soft">This account asks for a second factor.</p>
    </div>
    <div class="steps">
      ${form(
        { id: `${id}-code`, route: '/mfa/verify', submit: 'Sign in', busy: 'Checking…' },
        codeField(`${id}-app-code`, 'Code of your authenticator app', 'Six digits, new every 30 seconds.'),
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
          hint: 'One of the codes that you kept. Each works once.',
        }),
        stepButton(`${id}-code`, 'Use the app'),
      )}
    </div>
    ${id === 'second-factor' && html`<button type="button" class="quiet" data-step="first-step">Start again</button>`}
  </div>`;
}
