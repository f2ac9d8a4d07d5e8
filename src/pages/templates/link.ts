/** The tab that waits until a mailed link is opened. */
import { html, type Html, type LinkView, type TemplatePage } from '../template.js';
import { afterSending, codeForm } from './code-form.js';

export function link(page: TemplatePage, view: LinkView): Html {
  const { texts } = page;
  const { expiresIn } = view;
  const refusal = view.attempt?.errors.get('');
  const expiry =
    expiresIn !== null && html`data-expires="${expiresIn}" data-expired="${texts.notices.linkExpired}"`;
  return html`<h1>${view.title}</h1>
    ${refusal && !view.hasCode && html`<p class="banner bad" role="alert">${refusal}</p>`}
    <p class="lead">${view.lead}</p>
    ${view.hasCode && codeForm(page, view)}
    <p
      class="waiting"
      role="status"
      data-waiting="${view.statusUrl}"
      data-arrive="${view.arriveUrl}"
      ${expiry}
      hidden
    >
      ${texts.checkEmail.waiting}
    </p>
    ${afterSending(page, view)}`;
}
