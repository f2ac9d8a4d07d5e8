/** The dialog for what a forgotten session must not change: sign in again, then it goes on. */
import { codeField, field, form, formMessage, stepButton } from './fields.js';
import { html, type Html } from './html.js';
import { icons } from './icons.js';
import type { Visitor } from './layout.js';
import { secondFactor } from './second-factor.js';

export function signInAgain({ user, guest }: Visitor): Html {
  return html`<dialog id="again" aria-labelledby="again-title" data-user="${user.id}">
    <div class="steps">${guest ? forGuests : stepsOf(user)}</div>
  </dialog>`;
}

const close = html`<button type="button" class="quiet" data-close>Cancel</button>`;

const forGuests = html`<div id="again-first">
  <h2 id="again-title" tabindex="-1">Keep your notes first</h2>
  <p>
    This is a change that matters, so we would ask you to sign in again, which a guest cannot. Add an address
    or a password first.
  </p>
  ${close}
</div>`;

function stepsOf(user: Visitor['user']): Html {
  const password = html`<input type="hidden" name="email" value="${user.email}" autocomplete="username" />
    ${field({
      id: 'again-password-field',
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
    })}`;
  const byEmail = html`${form(
    {
      id: 'again-send',
      route: '/email-code/send',
      submit: `Email a code to ${user.email}`,
      busy: 'Sending…',
    },
    html`<input type="hidden" name="email" value="${user.email}" />`,
  )}
  ${stepButton('again-password', 'Use your password')}`;
  const byPhone = form(
    { id: 'again-text', route: '/phone/send', submit: 'Text me a code', busy: 'Sending…' },
    field({ id: 'again-phone', name: 'phone', label: 'Phone number', type: 'tel', autocomplete: 'tel' }),
  );
  return html`<div id="again-first">
      <h2 id="again-title" tabindex="-1">Is it you?</h2>
      <p class="soft">
        Your sign-in is a while ago, and this is a change that matters. Sign in again to go on.
      </p>
      <form id="again-passkey" action="/api/auth/passkeys/authenticate/start" method="post">
        <button class="plain" data-busy="Waiting for your device…">${icons.passkey} Use a passkey</button>
        ${formMessage}
      </form>
      ${user.email === null ? byPhone : byEmail}
      <p class="hint">You came by Google or Orbit? Sign out and in again.</p>
      ${close}
    </div>
    <div id="again-code" hidden>
      ${form(
        { id: 'again-verify', route: '/email-code/verify', submit: 'Go on', busy: 'Checking…' },
        codeField('again-code-field', 'Code from the message'),
        stepButton('again-first', 'Another way'),
      )}
    </div>
    <div id="again-password" hidden>
      ${form(
        { id: 'again-login', route: '/password/login', submit: 'Go on', busy: 'Checking…' },
        password,
        stepButton('again-first', 'Another way'),
      )}
    </div>
    ${secondFactor({ id: 'again-second-factor', hidden: true })}`;
}
