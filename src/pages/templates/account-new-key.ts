/** A new API key, which is shown once. */
import {
  html,
  linkButton,
  type AccountNewKeyView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountNewKey(page: AccountTemplatePage, { donePath, key }: AccountNewKeyView): Html {
  const { words } = page;
  return html`<section class="panel">
    <p>${words.tokens.createdLead}</p>
    <p><code class="secret-text" id="new-key" dir="ltr">${key}</code></p>
    <div class="buttons">
      <button class="plain" type="button" data-copy="#new-key" data-done="${words.copied}" hidden>
        ${words.copy}
      </button>
      ${linkButton(page, { path: donePath, label: words.tokens.done, kind: 'primary' })}
    </div>
  </section>`;
}
