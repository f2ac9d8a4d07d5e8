/** The button with which a mailed link signs in, in another browser than the one that asked for it. */
import { html, link, type Html, type LinkConfirmationView, type TemplatePage } from '../template.js';

export function linkConfirmation(page: TemplatePage, { title, email, proof }: LinkConfirmationView): Html {
  const { paths, texts } = page;
  const { confirmLink, confirmLinkIgnore, confirmLinkOther } = texts.notices;
  return html`<h1>${title}</h1>
    <p class="lead">${confirmLink(html`<strong><bdi>${email}</bdi></strong>`)}</p>
    <form method="post" class="steps once">
      <input type="hidden" name="proof" value="${proof}" />
      <button class="primary">${texts.signIn.submit}</button>
    </form>
    <p class="below">${confirmLinkIgnore}</p>
    <p class="below">${link(page, paths.signIn, confirmLinkOther)}</p>`;
}
