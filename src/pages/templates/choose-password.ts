/** A new password, with the mailed link or code. */
import {
  attempted,
  codeInput,
  form,
  html,
  link,
  newPasswordInput,
  usernameOf,
  type ChoosePasswordView,
  type Html,
  type TemplatePage,
} from '../template.js';
import { resendForm } from './code-form.js';

export function choosePassword(page: TemplatePage, view: ChoosePasswordView): Html {
  const { paths, texts } = page;
  const { title, attempt, proof, resend, username } = view;
  return html`<h1>${title}</h1>
    ${
      'email' in proof &&
      html`<p class="lead">${texts.reset.sentCode(html`<strong><bdi>${proof.email}</bdi></strong>`)}</p>`
    }
    ${form(page, {
      action: 'email' in proof ? `${paths.reset}/code` : `${paths.reset}/choose`,
      attempt,
      submit: texts.reset.save,
      fields: [
        username !== null && usernameOf(username),
        'email' in proof
          ? // Without the number of digits: a complete code does not submit the form, because the password comes next.
            // With letters: a request for a reset does not reveal which kind of code was mailed.
            codeInput({ ...attempted(attempt, 'code'), label: texts.code, hasLetters: true })
          : html`<input type="hidden" name="token" value="${proof.token}" />`,
        newPasswordInput(page, {
          ...view,
          label: texts.newPassword,
          error: attempt?.errors.get('password'),
          names: [username],
        }),
      ],
    })}
    <div class="below row">
      ${resend !== null && resendForm(page, resend, view.resendIn)}
      ${link(page, paths.reset, 'email' in proof ? texts.checkEmail.otherAddress : texts.reset.again)}
    </div>`;
}
