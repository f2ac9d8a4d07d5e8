/** The first step of a sign-in: the address, or a method that needs none. */
import {
  attempted,
  checkBox,
  form,
  html,
  input,
  link,
  type Html,
  type SignInView,
  type TemplatePage,
} from '../template.js';
import { lastUsed } from './last-used.js';
import { others } from './others.js';

export function signIn(page: TemplatePage, view: SignInView): Html {
  const { flow, name, paths, texts } = page;
  const { attempt, canSignUp, hasAddress, hasAutofill, hasUsernames, isGuest, notice, refusal } = view;
  const buttons = others(page, view.others, texts.signIn.passkey);
  const or = buttons && hasAddress && html`<p class="or"><span>${texts.or}</span></p>`;
  const addressUsed = lastUsed(page, view.others.lastUsed === 'address');
  const addressFirst = hasAddress && view.others.hasManyProviders;
  return html`<h1>${view.title}</h1>
    ${refusal && html`<p class="banner bad" role="alert">${refusal}</p>`}
    ${notice && html`<p class="banner note" role="status">${notice}</p>`}
    ${isGuest && html`<p class="lead">${texts.signIn.guest}</p>`}
    ${!addressFirst && buttons && html`<div class="others">${buttons}</div>`} ${!addressFirst && or}
    ${
      hasAddress &&
      form(page, {
        action: paths.signIn,
        attempt,
        submit: [texts.continue, addressUsed?.mark],
        describedBy: addressUsed?.id,
        fields: [
          input({
            ...attempted(attempt, 'email', flow.email),
            label: hasUsernames ? texts.emailOrUsername : texts.email,
            type: hasUsernames ? 'text' : 'email',
            autocomplete: hasAutofill ? 'username webauthn' : 'username',
          }),
          view.asksToRemember &&
            checkBox({ name: 'remember', label: texts.remember, isChecked: flow.remember !== false }),
        ],
      })
    }
    ${
      addressFirst &&
      html`${or}
        <div class="others">${buttons}</div>`
    }
    ${
      hasAddress &&
      canSignUp &&
      html`<p class="below">${texts.signIn.newHere(name, (label) => link(page, paths.signUp, label))}</p>`
    }`;
}
