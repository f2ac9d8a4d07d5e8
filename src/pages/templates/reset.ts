/** The request for a new password. */
import {
  attempted,
  form,
  html,
  input,
  link,
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
