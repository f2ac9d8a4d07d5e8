/** Leads to an identity provider, whose account is connected there. The browser continues by itself. */
import { html, type AccountLeavingView, type AccountTemplatePage, type Html } from '../template.js';

export function accountLeaving({ words }: AccountTemplatePage, { provider, url }: AccountLeavingView): Html {
  const { connected } = words;
  return html`<h1>${connected.leaving(provider)}</h1>
    <a class="button primary" href="${url}">${connected.connectTo(provider)}</a>`;
}
