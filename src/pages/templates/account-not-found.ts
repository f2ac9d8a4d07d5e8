/** A page of the account that does not exist, or that belongs to another user. */
import { html, linkButton, type AccountTemplatePage, type Html } from '../template.js';

export function accountNotFound(page: AccountTemplatePage): Html {
  const { paths, words } = page;
  return html`<p class="lead">${words.notFoundLead}</p>
    <p>${linkButton(page, { path: `${paths.account}/profile`, label: words.toAccount })}</p>`;
}
