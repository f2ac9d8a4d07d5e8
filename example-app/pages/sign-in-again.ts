/** The dialog that asks the user to sign in again before a sensitive change. */
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
  <h2 id="again-title" tabindex="-1">Create an account first</h2>
  <p>For your security, this change requires a recent sign-in. Add an email address to your account first.</p>
  ${close}
</div>`;

/** A method to sign in again. The script shows it if the account has it. */
const method = (name: string, body: Html) => html`<div data-way="${name}" hidden>${body}</div>`;

function stepsOf({ email }: Visitor['user']): Html {
  const passkey = html`<form id="again-passkey" action="/api/auth/passkeys/authenticate/start" method="post">
    <button class="plain" data-busy="Waiting for your device…">${icons.passkey} Use a passkey</button>
    ${formMessage}
  </form>`;
  const provider = (path: string, icon: Html, name: string) =>
    html`<a class="button plain" href="/api/auth${path}/start" data-away>${icon} Continue with ${name}</a>`;
  const byEmail = form(
    { id: 'again-send', route: '/email-code/send', submit: `Email a code to ${email}`, busy: 'Sending…' },
    html`<input type="hidden" name="email" value="${email}" />`,
  );
  const byPhone = form(
    { id: 'again-text', route: '/phone/send', submit: 'Text me a code', busy: 'Sending…' },
    html`<p class="soft">The code goes to <strong data-show="phone"></strong>.</p>
      <input type="hidden" name="phone" />`,
  );
  const password = html`<input type="hidden" name="email" value="${email}" autocomplete="username" /> ${field(
      {
        id: 'again-password-field',
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
      },
    )}`;
  return html`<div id="again-first">
      <h2 id="again-title" tabindex="-1">Confirm it's you</h2>
      <p class="soft">For your security, sign in again to continue.</p>
      ${method('passkey', passkey)} ${method('google', provider('/google', icons.google, 'Google'))}
      ${method('orbit', provider('/oauth/orbit', icons.orbit, 'Orbit'))} ${method('email', byEmail)}
      ${method('password', stepButton('again-password', 'Use your password'))} ${method('phone', byPhone)}
      ${close}
    </div>
    <div id="again-code" hidden>
      ${form(
        { id: 'again-verify', route: '/email-code/verify', submit: 'Continue', busy: 'Checking…' },
        codeField('again-code-field', 'Code from the message'),
        stepButton('again-first', 'Use another method'),
      )}
    </div>
    <div id="again-password" hidden>
      ${form(
        { id: 'again-login', route: '/password/login', submit: 'Continue', busy: 'Checking…' },
        password,
        stepButton('again-first', 'Use another method'),
      )}
    </div>
    ${secondFactor({ id: 'again-second-factor', hidden: true })}`;
}
