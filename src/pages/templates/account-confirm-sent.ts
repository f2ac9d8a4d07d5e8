/** What was sent to sign in again: a code to enter, or a link to open. */
import {
  accountForm,
  html,
  type AccountConfirmSentView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountConfirmSent(page: AccountTemplatePage, view: AccountConfirmSentView): Html {
  const { below, form, lead, title } = view;
  return html`<h1>${title}</h1>
    <p class="lead">${lead}</p>
    ${form && accountForm(page, form)} ${below}`;
}
