/** Sign-in with a text message: the number to which a code is sent. */
import { form, html, link, phoneInput, type Html, type PhoneView, type TemplatePage } from '../template.js';

export function phone(page: TemplatePage, { title, attempt, backPath, countries, country }: PhoneView): Html {
  const { flow, paths, texts } = page;
  return html`<h1>${title}</h1>
    ${form(page, {
      action: `${paths.signIn}/phone`,
      attempt,
      submit: texts.continue,
      fields: [phoneInput(page, { attempt, countries, country, value: flow.phone })],
    })}
    <p class="below">${link(page, backPath, texts.back)}</p>`;
}
