/** A request that is refused, or that fails. */
import { html, link, type ErrorView, type Html, type TemplatePage } from '../template.js';

export function error(page: TemplatePage, { title, message, isSignedIn }: ErrorView): Html {
  const { homeUrl, name, paths, texts } = page;
  return html`<h1>${title}</h1>
    <p class="lead">${message}</p>
    <a class="button primary" href="${homeUrl}">${texts.notices.home(name)}</a>
    <p class="below">
      ${isSignedIn ? link(page, paths.account, texts.account.toAccount) : link(page, paths.signIn, texts.signIn.submit)}
    </p>`;
}
