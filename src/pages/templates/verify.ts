/** The verification of the address of a new account, with the mailed code. */
import {
  attempted,
  codeInput,
  form,
  html,
  type Html,
  type TemplatePage,
  type VerifyView,
} from '../template.js';

export function verify(page: TemplatePage, view: VerifyView): Html {
  const { texts } = page;
  const { action, attempt, digits, email, laterUrl, resend } = view;
  return html`<h1>${view.title}</h1>
    <p class="lead">${texts.verify.lead(html`<strong><bdi>${email}</bdi></strong>`)}</p>
    ${form(page, {
      action,
      attempt,
      submit: texts.continue,
      fields: [codeInput({ ...attempted(attempt, 'code'), label: texts.code, digits })],
    })}
    <div class="below row">
      ${
        resend !== null &&
        form(page, {
          action: resend,
          submit: texts.checkEmail.resend,
          kind: 'link',
          pause: { seconds: 30, label: texts.checkEmail.resendIn('#') },
        })
      }
      ${laterUrl !== null && html`<a href="${laterUrl}">${texts.verify.later}</a>`}
    </div>`;
}
