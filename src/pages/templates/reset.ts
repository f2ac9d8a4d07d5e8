/** A new password: the request for a link, and the page to which the link leads. */
import {
  attempted,
  codeInput,
  form,
  html,
  input,
  link,
  usernameOf,
  type ChoosePasswordView,
  type Html,
  type ResetView,
  type TemplatePage,
} from '../template.js';

export function reset(page: TemplatePage, view: ResetView): Html {
  const { paths, texts } = page;
  const { attempt, email, hasCode, refusal } = view;
  return html`<h1>${view.title}</h1>
    ${refusal && html`<p class="banner bad" role="alert">${refusal}</p>`}
    <p class="lead">${hasCode ? texts.reset.leadCode : texts.reset.lead}</p>
    ${form(page, {
      action: paths.reset,
      attempt,
      submit: hasCode ? texts.twoFactor.sendEmail : texts.reset.submit,
      fields: [
        input({
          ...attempted(attempt, 'email', email),
          label: texts.email,
          type: 'email',
          autocomplete: 'username',
        }),
      ],
    })}
    <p class="below">${link(page, paths.signIn, texts.back)}</p>`;
}

export function choosePassword(page: TemplatePage, view: ChoosePasswordView): Html {
  const { paths, texts } = page;
  const { title, attempt, proof, minPasswordLength } = view;
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
        'email' in proof
          ? [
              usernameOf(proof.email),
              // Without the number of digits: a complete code does not submit the form, because the password comes next.
              codeInput({ ...attempted(attempt, 'code'), label: texts.code }),
            ]
          : html`<input type="hidden" name="token" value="${proof.token}" />`,
        input({
          ...attempted(attempt, 'password'),
          label: texts.newPassword,
          type: 'password',
          reveal: { show: texts.showPassword, hide: texts.hidePassword },
          autocomplete: 'new-password',
          hint: texts.passwordHint(minPasswordLength),
        }),
      ],
    })}
    <p class="below">
      ${link(page, paths.reset, 'email' in proof ? texts.checkEmail.otherAddress : texts.reset.again)}
    </p>`;
}
