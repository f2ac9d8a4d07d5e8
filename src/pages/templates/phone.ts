/** Sign-in with a text message: the number to which a code is sent. */
import {
  attempted,
  form,
  html,
  input,
  link,
  type Html,
  type PhoneView,
  type TemplatePage,
} from '../template.js';

export function phone(page: TemplatePage, { title, attempt }: PhoneView): Html {
  const { flow, paths, texts } = page;
  return html`<h1>${title}</h1>
    ${form(page, {
      action: `${paths.signIn}/phone`,
      attempt,
      submit: texts.continue,
      fields: [
        input({
          ...attempted(attempt, 'phone', flow.phone),
          label: texts.phone,
          type: 'tel',
          autocomplete: 'tel',
          hint: texts.phoneHint,
        }),
      ],
    })}
    <p class="below">${link(page, paths.signIn, texts.back)}</p>`;
}
