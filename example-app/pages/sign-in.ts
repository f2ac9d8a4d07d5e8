/** The sign-in page: every method. What happens after a click is in ../browser/sign-in.ts. */
import { codeField, emailField, field, form, formMessage, stepButton } from './fields.js';
import { html, type Html } from './html.js';
import { icons } from './icons.js';
import { needsScript, page, publicTop } from './layout.js';
import { secondFactor } from './second-factor.js';
import { wordsFor } from './words.js';

const panel = (method: string, steps: Html[]) =>
  html`<section data-method="${method}" class="steps">${steps}</section>`;

const code = panel('code', [
  form(
    { id: 'code-send', route: '/email-code/send', submit: 'Email me a code', busy: 'Sending the code…' },
    emailField('code-email', 'We mail you a code of six digits. No account yet? This makes one.'),
  ),
  form(
    { id: 'code-verify', route: '/email-code/verify', submit: 'Sign in', busy: 'Signing in…', hidden: true },
    html`<p>We sent a code to <strong data-show="email"></strong>. It works for 10 minutes.</p>
      <input type="hidden" name="email" />
      ${codeField('code', 'Code from the mail')}`,
    stepButton('code-send', 'New code or other address'),
  ),
]);

const link = panel('link', [
  form(
    { id: 'link-send', route: '/magic-link/send', submit: 'Email me a link', busy: 'Sending the link…' },
    emailField('link-email', 'We mail you a link that signs you in. No account yet? This makes one.'),
  ),
  html`<div id="link-sent" hidden>
    <h2 tabindex="-1">Check your inbox</h2>
    <p>
      We sent a link to <strong data-show="email"></strong>. Open it to sign in. It works once, for 15
      minutes.
    </p>
    ${stepButton('link-send', 'New link or other address')}
  </div>`,
]);

const password = panel('password', [
  form(
    { id: 'login', route: '/password/login', submit: 'Sign in', busy: 'Signing in…' },
    html`${emailField('login-email')}
    ${field({
      id: 'login-password',
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
    })}`,
    html`<div class="row">
      ${stepButton('signup', 'Create an account')} ${stepButton('forgot', 'Forgot your password?')}
    </div>`,
  ),
  form(
    { id: 'signup', route: '/password/signup', submit: 'Create account', busy: 'Creating…', hidden: true },
    html`<h2>Create an account</h2>
      ${emailField('signup-email')}
      ${field({
        id: 'signup-password',
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 8 characters. A few words are easier to remember.',
      })}`,
    stepButton('login', 'I have an account'),
  ),
  form(
    {
      id: 'forgot',
      route: '/password/request-reset',
      submit: 'Email me the link',
      busy: 'Sending the link…',
      hidden: true,
    },
    html`<h2>Choose a new password</h2>
      ${emailField('forgot-email', 'We mail you a link for that.')}`,
    stepButton('login', 'Back'),
  ),
  html`<div id="forgot-sent" hidden>
    <h2 tabindex="-1">Check your inbox</h2>
    <p>
      If <strong data-show="email"></strong> has an account, a link is on its way. It works for 30 minutes.
    </p>
    ${stepButton('login', 'Back to sign in')}
  </div>`,
]);

const phone = panel('phone', [
  form(
    { id: 'phone-send', route: '/phone/send', submit: 'Text me a code', busy: 'Sending the code…' },
    field({
      id: 'phone',
      name: 'phone',
      label: 'Phone number',
      type: 'tel',
      autocomplete: 'tel',
      placeholder: '+49 151 23456789',
      hint: 'With the country code. The text message goes to the inbox of this example.',
    }),
  ),
  form(
    { id: 'phone-verify', route: '/phone/verify', submit: 'Sign in', busy: 'Signing in…', hidden: true },
    html`<p>We sent a text message to <strong data-show="phone"></strong>. Its code works for 5 minutes.</p>
      <input type="hidden" name="phone" />
      ${codeField('phone-code', 'Code from the message')}`,
    stepButton('phone-send', 'New code or other number'),
  ),
]);

const methods = [
  { name: 'code', label: 'Code' },
  { name: 'link', label: 'Link' },
  { name: 'password', label: 'Password' },
  { name: 'phone', label: 'Phone' },
];

function choice(chosen: unknown): Html[] {
  const first = methods.find(({ name }) => name === chosen) ?? methods[0];
  return methods.map(
    (method) =>
      html`<label>
        <input type="radio" name="method" value="${method.name}" ${method === first && 'checked'} />
        <span>${method.label}</span>
      </label>`,
  );
}

/** Decoration: what waits behind the sign-in. */
const pitch = html`<aside class="pitch" aria-hidden="true">
  <div class="stack">
    <p>Call Grace about the compiler</p>
    <p>Passkeys for everybody by Friday</p>
    <p>Buy more coffee</p>
  </div>
  <p class="claim">Notes that are yours alone.</p>
</aside>`;

export function signInPage(query: Record<string, unknown>): string {
  // What a link or an identity provider began goes on here when the account has two factors.
  const secondStep = query['error'] === 'mfa_required';
  const words = secondStep ? null : wordsFor(query);
  return page({
    title: 'Sign in',
    script: 'sign-in',
    look: 'split',
    body: html`${publicTop}
      <main>
        <div class="card steps" id="ways-in">
          <div id="first-step" ${secondStep && 'hidden'}>
            <div>
              <h1 tabindex="-1">Sign in to Acme</h1>
              <p class="soft">
                Whichever way you like best. New here? A code, a link, Google or Orbit make your account.
              </p>
            </div>
            ${words && html`<p class="banner ${words.kind}" role="status">${words.text}</p>`} ${needsScript}
            <div class="ways">
              <form id="passkey" action="/api/auth/passkeys/authenticate/start" method="post">
                <button data-busy="Waiting for your device…">${icons.passkey} Sign in with a passkey</button>
                ${formMessage}
              </form>
              <a class="button plain" href="/api/auth/google/start">${icons.google} Google</a>
              <a class="button plain" href="/api/auth/oauth/orbit/start">${icons.orbit} Orbit</a>
            </div>
            <p class="or">or</p>
            <fieldset class="choice">
              <legend class="hidden">How do you want to sign in?</legend>
              ${choice(query['method'])}
            </fieldset>
            ${code} ${link} ${password} ${phone}
            <form id="guest" action="/api/auth/guest" method="post" class="guest">
              ${formMessage}
              <p>Just looking? <button class="quiet" data-busy="Opening…">Try it first</button></p>
            </form>
          </div>
          ${secondFactor({ id: 'second-factor', hidden: !secondStep })}
        </div>
        ${pitch}
      </main>`,
  });
}
