/** A new account with a passkey. */
import {
  attempted,
  codeInput,
  form,
  html,
  icons,
  input,
  link,
  signUpFields,
  type Html,
  type PasskeySignUpView,
  type TemplatePage,
} from '../template.js';
import { resendForm } from './code-form.js';
import { usernameField } from './username-field.js';

export function passkeySignUp(page: TemplatePage, view: PasskeySignUpView): Html {
  const { paths, texts } = page;
  const { attempt, createsPasskey, email, hasEmail, hasUsernames, resend, step } = view;
  return html`<h1>${view.title}</h1>
    <noscript><p class="banner bad">${texts.errors.passkeyNeedsScript}</p></noscript>
    <p class="lead">
      ${
        step === 'code'
          ? texts.checkEmail.code(html`<strong><bdi>${email}</bdi></strong>`)
          : texts.signUp.passkeyLead
      }
    </p>
    ${form(page, {
      action: step === 'code' ? `${paths.signUp}/passkey/code` : `${paths.signUp}/passkey`,
      attempt,
      submit: createsPasskey ? [icons.passkey, texts.signUp.createPasskey] : texts.continue,
      isCeremony: createsPasskey,
      fields: [
        step === 'start' &&
          hasEmail &&
          input({
            ...attempted(attempt, 'email', email ?? ''),
            label: texts.email,
            type: 'email',
            autocomplete: 'email',
          }),
        step === 'code' && html`<input type="hidden" name="email" value="${email}" />`,
        // Submitted by the button: the browser shows the prompt of a passkey after a click only.
        step === 'code' &&
          codeInput({
            ...attempted(attempt, 'code'),
            label: texts.code,
            hasLetters: view.hasLetters,
            hint: view.hasLetters && texts.codeLetters,
          }),
        hasUsernames && createsPasskey && usernameField(page, view),
        createsPasskey && signUpFields(page, view),
      ],
    })}
    <div class="below row">
      ${resend !== null && resendForm(page, resend, view.resendIn)}
      ${step === 'code' && link(page, `${paths.signUp}/passkey`, texts.checkEmail.otherAddress)}
      ${link(page, paths.signUp, texts.back)}
    </div>`;
}
