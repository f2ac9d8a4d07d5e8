/** A new passkey. It needs the script, which finds its parts by the `data-` attributes. */
import { html, icons, input, linkButton, type AccountTemplatePage, type Html } from '../template.js';

export function accountPasskey(page: AccountTemplatePage): Html {
  const { authPath, base, paths, words } = page;
  const { passkeys } = words;
  return html`<section class="panel">
    <p>${passkeys.addLead}</p>
    <noscript><p class="banner bad">${passkeys.needsScript}</p></noscript>
    <p class="banner bad" role="alert" data-passkey-message hidden></p>
    <div data-passkey-name hidden>
      ${input({ name: 'name', label: words.name, hint: words.nameHint, maxLength: 100 })}
    </div>
    <div class="buttons">
      <button
        class="primary"
        type="button"
        data-passkey-add="${authPath}/passkeys/register"
        data-then="${base}${paths.account}/security?done=passkeyAdded"
        data-failed="${passkeys.failed}"
        data-unsupported="${passkeys.unsupported}"
        hidden
      >
        ${icons.passkey} ${passkeys.create}
      </button>
      ${linkButton(page, { path: `${paths.account}/security`, label: words.cancel })}
    </div>
  </section>`;
}
