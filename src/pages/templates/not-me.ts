/** The button with which the link of a notice ends every session of the account. */
import { html, type Html, type NotMeView, type TemplatePage } from '../template.js';

export function notMe(_page: TemplatePage, view: NotMeView): Html {
  const { title, lead, submit, ignore, proof } = view;
  return html`<h1>${title}</h1>
    <p class="lead">${lead}</p>
    <form method="post" class="steps once">
      <input type="hidden" name="proof" value="${proof}" />
      <button class="primary">${submit}</button>
    </form>
    <p class="below">${ignore}</p>`;
}
