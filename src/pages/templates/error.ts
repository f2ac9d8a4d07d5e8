/** A request that is refused, or that fails. */
import { html, type ErrorView, type Html, type TemplatePage } from '../template.js';

export function error(page: TemplatePage, { title, message }: ErrorView): Html {
  const { base, paths, texts } = page;
  return html`<h1>${title}</h1>
    <p>${message}</p>
    <p><a class="button plain" href="${base}${paths.signIn}">${texts.signIn.submit}</a></p>`;
}
