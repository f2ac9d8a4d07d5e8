/** A new account: with a password, or with a mailed code or link. */
import {
  attempted,
  form,
  html,
  input,
  link,
  newPasswordInput,
  signUpFields,
  type Html,
  type SignUpView,
  type TemplatePage,
} from '../template.js';
import { others } from './others.js';
import { usernameField } from './username-field.js';

export function signUp(page: TemplatePage, view: SignUpView): Html {
  const { flow, paths, texts } = page;
  const { attempt, hasAddress, hasPassword, hasUsernames, invitedAddress, isEmailOptional, isGuest } = view;
  const buttons = others(page, view.others, texts.signUp.passkey);
  const or = buttons && hasAddress && html`<p class="or"><span>${texts.or}</span></p>`;
  const addressFirst = hasAddress && view.others.hasManyProviders;
  return html`<h1>${view.title}</h1>
    ${isGuest && html`<p class="lead">${texts.signUp.guest}</p>`}
    ${invitedAddress !== null && html`<p class="lead">${texts.join.to(html`<bdi>${invitedAddress}</bdi>`)}</p>`}
    ${!addressFirst && buttons && html`<div class="others">${buttons}</div>`} ${!addressFirst && or}
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
            ...(isEmailOptional && { optional: texts.optional }),
            type: 'email',
            autocomplete: 'username',
          }),
          hasUsernames && usernameField(page, view, isEmailOptional),
          hasPassword &&
            newPasswordInput(page, {
              ...view,
              label: texts.password,
              error: attempt?.errors.get('password'),
            }),
          signUpFields(page, view),
        ],
      })
    }
    ${
      addressFirst &&
      html`${or}
        <div class="others">${buttons}</div>`
    }
    <p class="below">${texts.signUp.haveAccount((label) => link(page, paths.signIn, label))}</p>`;
}
