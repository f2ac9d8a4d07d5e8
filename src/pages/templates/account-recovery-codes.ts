/** New recovery codes: shown once, to be printed, copied or downloaded. */
import {
  html,
  linkButton,
  type AccountRecoveryCodesView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountRecoveryCodes(page: AccountTemplatePage, view: AccountRecoveryCodesView): Html {
  const { name, paths, words } = page;
  const { recovery } = words;
  return html`${view.isNew && html`<p class="banner good" role="status">${recovery.isOn}</p>`}
    <section class="panel codes-panel">
      <p>${recovery.saveLead}</p>
      <p class="on-paper">${recovery.owner(html`<bdi>${view.owner}</bdi>`, name)}</p>
      <ul class="codes" id="recovery-codes" dir="ltr">
        ${view.codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <div class="buttons">
        <a class="button plain" href="${view.downloadUrl}" download="${recovery.fileName}"
          >${recovery.download}</a
        >
        <button class="plain" type="button" data-copy="#recovery-codes" data-done="${words.copied}" hidden>
          ${words.copy}
        </button>
        <button class="plain" type="button" data-print hidden>${recovery.print}</button>
      </div>
      <div class="buttons">
        ${linkButton(page, { path: `${paths.account}/security`, label: recovery.saved, kind: 'primary' })}
      </div>
    </section>`;
}
