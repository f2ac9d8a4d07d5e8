/** The application's fields, after a proof that creates an account. */
import {
  form,
  html,
  signUpFields,
  type CompleteSignUpView,
  type Html,
  type TemplatePage,
} from '../template.js';

export function completeSignUp(page: TemplatePage, view: CompleteSignUpView): Html {
  const { paths, texts } = page;
  return html`<h1>${view.title}</h1>
    <p class="lead">${texts.signUp.fields.lead}</p>
    ${form(page, {
      action: `${paths.signUp}/complete`,
      attempt: view.attempt,
      submit: texts.signUp.submit,
      fields: [signUpFields(page, view)],
    })}
    <div class="below row">
      ${form(page, {
        action: `${paths.signUp}/complete/cancel`,
        submit: texts.twoFactor.restart,
        kind: 'link',
      })}
    </div>`;
}
