/** After the account was deleted. */
import { html, type AccountTemplatePage, type Html } from '../template.js';

export function accountDeleted({ homeUrl, words }: AccountTemplatePage): Html {
  const { data } = words;
  return html`<h1>${data.deleted}</h1>
    <p class="lead">${data.deletedLead}</p>
    <a class="button primary" href="${homeUrl}">${data.home}</a>`;
}
