/** The sign-in page: every free method. What happens after a click is in ../public/forms.js. */
import { field, formMessage, html, needsScript, page } from './html.js';
import { wordsFor } from './words.js';

const email = (form: string, hint?: string) =>
  field({
    id: `${form}-email`,
    name: 'email',
    label: 'Email address',
    type: 'email',
    autocomplete: 'email',
    hint,
  });

const code = html`<section data-method="code" class="steps">
  <form id="code-send" action="/api/auth/email-code/send" method="post">
    ${email('code', 'We mail you a code of six digits.')} ${formMessage}
    <button data-busy="Sending the code…">Send me a code</button>
  </form>
  <form id="code-verify" action="/api/auth/email-code/verify" method="post" hidden>
    <p>We sent a code to <strong data-show="email"></strong>. It works for 10 minutes.</p>
    <input type="hidden" name="email" />
    ${field({
      id: 'code',
      name: 'code',
      label: 'Code from the mail',
      type: 'text',
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
    })}
    ${formMessage}
    <button data-busy="Signing in…">Sign in</button>
    <button type="button" class="quiet" data-step="code-send">New code or other address</button>
  </form>
</section>`;

const link = html`<section data-method="link" class="steps">
  <form id="link-send" action="/api/auth/magic-link/send" method="post">
    ${email('link', 'We mail you a link that signs you in.')} ${formMessage}
    <button data-busy="Sending the link…">Send me a link</button>
  </form>
  <div id="link-sent" hidden>
    <h2 tabindex="-1">Check your inbox</h2>
    <p>
      We sent a link to <strong data-show="email"></strong>. Open it to sign in. It works once, for 15
      minutes.
    </p>
    <button type="button" class="quiet" data-step="link-send">New link or other address</button>
  </div>
</section>`;

const password = html`<section data-method="password" class="steps">
  <form id="login" action="/api/auth/password/login" method="post">
    ${email('login')}
    ${field({
      id: 'login-password',
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
    })}
    ${formMessage}
    <button data-busy="Signing in…">Sign in</button>
    <div class="row">
      <button type="button" class="quiet" data-step="signup">Create an account</button>
      <button type="button" class="quiet" data-step="forgot">Forgot your password?</button>
    </div>
  </form>
  <form id="signup" action="/api/auth/password/signup" method="post" hidden>
    <h2>Create an account</h2>
    ${email('signup')}
    ${field({
      id: 'signup-password',
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'new-password',
      hint: 'At least 8 characters. A few words are easier to remember.',
    })}
    ${formMessage}
    <button data-busy="Creating the account…">Create account</button>
    <button type="button" class="quiet" data-step="login">I have an account</button>
  </form>
  <form id="forgot" action="/api/auth/password/request-reset" method="post" hidden>
    <h2>Choose a new password</h2>
    ${email('forgot', 'We mail you a link for that.')} ${formMessage}
    <button data-busy="Sending the link…">Mail me the link</button>
    <button type="button" class="quiet" data-step="login">Back</button>
  </form>
  <div id="forgot-sent" hidden>
    <h2 tabindex="-1">Check your inbox</h2>
    <p>
      If <strong data-show="email"></strong> has an account, a link is on its way. It works for 30 minutes.
    </p>
    <button type="button" class="quiet" data-step="login">Back to sign in</button>
  </div>
</section>`;

const methods = [
  { name: 'code', label: 'Code' },
  { name: 'link', label: 'Link' },
  { name: 'password', label: 'Password' },
];

export function signInPage(query: Record<string, unknown>): string {
  const words = wordsFor(query);
  const chosen = methods.find(({ name }) => name === query['method']) ?? methods[0];
  const choice = methods.map(
    (method) =>
      html`<label>
        <input type="radio" name="method" value="${method.name}" ${method === chosen && 'checked'} />
        <span>${method.label}</span>
      </label>`,
  );
  return page({
    title: 'Sign in to Acme',
    script: 'forms.js',
    body: html`<div class="card">
      <h1>Sign in to Acme</h1>
      ${words && html`<p class="${words.kind === 'error' ? 'error' : 'notice'} banner" role="status">${words.text}</p>`}
      ${needsScript}
      <a class="button" href="/api/auth/google/start">Continue with the identity provider</a>
      <p class="or">or with your email address</p>
      <fieldset class="choice">
        <legend class="hidden">How do you want to sign in?</legend>
        ${choice}
      </fieldset>
      ${code} ${link} ${password}
    </div>`,
  });
}
