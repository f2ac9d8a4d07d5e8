/** A new account: with a password, with a mailed code or link, or with a passkey. */
import {
  attempted,
  codeInput,
  form,
  html,
  icons,
  input,
  link,
  type Html,
  type PasskeySignUpView,
  type SignUpView,
  type TemplatePage,
} from '../template.js';
import { others } from './others.js';

export function signUp(page: TemplatePage, view: SignUpView): Html {
  const { flow, paths, texts } = page;
  const { attempt, hasAddress, hasPassword, hasUsernames, isGuest } = view;
  const buttons = others(page, view.others, texts.signUp.passkey);
  return html`<h1>${view.title}</h1>
    ${isGuest && html`<p class="lead">${texts.signUp.guest}</p>`}
    ${buttons && html`<div class="others">${buttons}</div>`}
    ${buttons && hasAddress && html`<p class="or"><span>${texts.or}</span></p>`}
    ${
      hasAddress &&
      form(page, {
        action: paths.signUp,
        attempt,
        submit: hasPassword ? texts.signUp.submit : texts.continue,
        fields: [
          input({
            ...attempted(attempt, 'email', flow.email?.includes('@') ? flow.email : ''),
            label: texts.email,
            type: 'email',
            autocomplete: 'username',
          }),
          hasUsernames && usernameField(page, view),
          hasPassword &&
            input({
              ...attempted(attempt, 'password'),
              label: texts.password,
              type: 'password',
              reveal: { show: texts.showPassword, hide: texts.hidePassword },
              autocomplete: 'new-password',
              hint: texts.passwordHint(view.minPasswordLength),
            }),
        ],
      })
    }
    <p class="below">${texts.signUp.haveAccount((label) => link(page, paths.signIn, label))}</p>`;
}

export function passkeySignUp(page: TemplatePage, view: PasskeySignUpView): Html {
  const { paths, texts } = page;
  const { attempt, createsPasskey, email, hasEmail, hasUsernames, step } = view;
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
        step === 'code' && codeInput({ ...attempted(attempt, 'code'), label: texts.code }),
        hasUsernames && createsPasskey && usernameField(page, view),
      ],
    })}
    <p class="below row">
      ${step === 'code' && link(page, `${paths.signUp}/passkey`, texts.checkEmail.otherAddress)}
      ${link(page, paths.signUp, texts.back)}
    </p>`;
}

function usernameField({ texts }: TemplatePage, { attempt }: { attempt: SignUpView['attempt'] }): Html {
  return input({
    ...attempted(attempt, 'username'),
    label: texts.username,
    optional: texts.optional,
    autocomplete: 'off',
    maxLength: 32,
  });
}
