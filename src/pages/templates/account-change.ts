/** A page that makes one change, such as another user name or the end of a passkey, after its form is sent. */
import {
  accountForm,
  html,
  type AccountChangeView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountChange(page: AccountTemplatePage, view: AccountChangeView): Html {
  const { below, details, form, lead, note, subject } = view;
  return html`<section class="panel">
    ${subject !== null && html`<p class="subject"><bdi>${subject}</bdi></p>`} ${lead && html`<p>${lead}</p>`}
    ${note && html`<p class="soft">${note}</p>`} ${details} ${accountForm(page, form)} ${below}
  </section>`;
}
