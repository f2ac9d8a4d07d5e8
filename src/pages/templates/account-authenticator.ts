/** The set-up of an authenticator app: the code to scan, and the form for the code that the app shows. */
import {
  accountForm,
  attempted,
  codeInput,
  html,
  input,
  type AccountAuthenticatorView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountAuthenticator(page: AccountTemplatePage, view: AccountAuthenticatorView): Html {
  const { paths, words } = page;
  const { authenticator } = words;
  const { action, attempt, isFirst, key, qrCode, uri } = view;
  return html`<section class="panel">
    <ol class="guide">
      <li>
        <h2>${authenticator.scan}</h2>
        ${qrCode}
        <p class="soft">${authenticator.scanLead} <a href="${uri}">${authenticator.openApp}</a></p>
        <p class="soft">${authenticator.orKey}</p>
        <p><code class="secret-text" dir="ltr">${key}</code></p>
      </li>
      <li>
        <h2>${authenticator.enterCode}</h2>
        ${accountForm(page, {
          action,
          fields: [
            html`<input type="hidden" name="uri" value="${uri}" />`,
            codeInput({ name: 'code', label: authenticator.code, error: attempt?.errors.get('code') }),
            input({
              ...attempted(attempt, 'name'),
              label: words.name,
              hint: words.nameHint,
              maxLength: 100,
            }),
            html`<p class="soft">${authenticator.otherDevices}</p>`,
          ],
          submit: isFirst ? authenticator.turnOn : authenticator.addApp,
          cancel: `${paths.account}/security`,
        })}
      </li>
    </ol>
  </section>`;
}
