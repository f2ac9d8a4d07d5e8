/** The sign-in page with every method. The script is ../browser/sign-in.ts. */
import { codeField, emailField, field, form, formMessage, resendOr, stepButton } from './fields.js';
import { html, type Html } from './html.js';
import { icons } from './icons.js';
import { needsScript, page, publicTop } from './layout.js';
import { secondFactor } from './second-factor.js';
import { bannerFor } from './words.js';

const panel = (method: string, steps: Html[]) =>
  html`<section data-method="${method}" class="steps">${steps}</section>`;

const code = panel('code', [
  form(
    { id: 'code-send', route: '/email-code/send', submit: 'Email me a code', busy: 'Sending the code…' },
    emailField('code-email', "We'll email you a six-digit code."),
  ),
  form(
    { id: 'code-verify', route: '/email-code/verify', submit: 'Sign in', busy: 'Signing in…', hidden: true },
    html`<p>We've sent a code to <strong data-show="email"></strong>. It expires in 10 minutes.</p>
      <input type="hidden" name="email" />
      ${codeField('code', 'Code from the email')}`,
    resendOr('code-send', 'Use a different email'),
  ),
]);

const link = panel('link', [
  form(
    { id: 'link-send', route: '/magic-link/send', submit: 'Email me a link', busy: 'Sending the link…' },
    emailField('link-email', "We'll email you a link that signs you in."),
  ),
  html`<div id="link-sent" hidden>
    <h2 tabindex="-1">Check your inbox</h2>
    <p>
      We've sent a link to <strong data-show="email"></strong>. Open it to sign in. It expires in 15 minutes.
    </p>
    ${stepButton('link-send', 'Use a different email')}
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
    stepButton('login', 'Sign in instead'),
  ),
  form(
    {
      id: 'forgot',
      route: '/password/request-reset',
      submit: 'Email me a reset link',
      busy: 'Sending the link…',
      hidden: true,
    },
    html`<h2>Choose a new password</h2>
      ${emailField('forgot-email', "We'll email you a link to choose a new password.")}`,
    stepButton('login', 'Back'),
  ),
  html`<div id="forgot-sent" hidden>
    <h2 tabindex="-1">Check your inbox</h2>
    <p>If <strong data-show="email"></strong> has an account, we've sent a link. It expires in 30 minutes.</p>
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
      hint: 'Include the country code. The text message appears in the inbox of this example.',
    }),
  ),
  form(
    { id: 'phone-verify', route: '/phone/verify', submit: 'Sign in', busy: 'Signing in…', hidden: true },
    html`<p>We've sent a code to <strong data-show="phone"></strong>. It expires in 5 minutes.</p>
      <input type="hidden" name="phone" />
      ${codeField('phone-code', 'Code from the message')}`,
    resendOr('phone-send', 'Use a different number'),
  ),
]);

const methods = [
  { name: 'code', label: 'Code' },
  { name: 'link', label: 'Link' },
  { name: 'password', label: 'Password' },
  { name: 'phone', label: 'Phone' },
];

function methodChoice(selected: unknown): Html[] {
  const first = methods.find(({ name }) => name === selected) ?? methods[0];
  return methods.map(
    (method) =>
      html`<label>
        <input type="radio" name="method" value="${method.name}" ${method === first && 'checked'} />
        <span>${method.label}</span>
      </label>`,
  );
}

/** Decoration: a preview of the product. */
const pitch = html`<aside class="pitch" aria-hidden="true">
  <div class="stack">
    <p>Call Grace about the compiler</p>
    <p>Passkeys for everyone by Friday</p>
    <p>Buy more coffee</p>
  </div>
  <p class="claim">Notes that are yours alone.</p>
</aside>`;

export function signInPage(query: Record<string, unknown>): string {
  // A sign-in by link or identity provider continues here if the account has a second factor.
  const secondStep = query['error'] === 'mfa_required';
  const banner = secondStep ? null : bannerFor(query);
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
              <p class="soft">New here? We'll create your account.</p>
            </div>
            ${banner && html`<p class="banner ${banner.kind}" role="status">${banner.text}</p>`}
            ${needsScript}
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
              <legend class="hidden">Sign-in method</legend>
              ${methodChoice(query['method'])}
            </fieldset>
            ${code} ${link} ${password} ${phone}
            <form id="guest" action="/api/auth/guest" method="post" class="guest">
              ${formMessage}
              <p>Just looking? <button class="quiet" data-busy="Opening…">Continue as guest</button></p>
            </form>
          </div>
          ${secondFactor({ id: 'second-factor', hidden: !secondStep })}
        </div>
        ${pitch}
      </main>`,
  });
}
