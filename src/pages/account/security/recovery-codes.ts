/** The recovery codes: shown once, to be printed, copied or downloaded, and replaced. */
import { html } from '../../../html/html.js';
import { continueVisit } from '../continue-session.js';
import { accountForm } from '../form.js';
import { notFoundView } from '../refusal-views.js';
import { at, type AccountPage, type AccountView, type AccountVisit } from '../page.js';
import { linkButton } from '../parts.js';

export const recoveryCodesPage: AccountPage = {
  section: 'security',
  path: '/security/recovery-codes',
  access: 'recent',
  isOffered: ({ totp }) => totp !== null,
  show(visit) {
    const { record, words } = visit;
    const { recovery } = words;
    if (!record.twoFactor) return notFoundView(visit);
    const body = html`<section class="panel">
      <p>${recovery.replaceLead}</p>
      ${accountForm(visit, {
        action: at(visit, '/security/recovery-codes'),
        submit: recovery.replaceSubmit,
        cancel: at(visit, '/security'),
      })}
    </section>`;
    return { title: recovery.replaceTitle, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(_values, visit) {
        const { context, me, offers } = visit;
        const options = { ...context, startSession: true } as const;
        const changed = await offers.totp!.regenerateRecoveryCodes(me.id, options);
        continueVisit(visit, changed);
        return recoveryCodesView(visit, changed.recoveryCodes, { isNew: false });
      },
    },
  },
};

/**
 * Shows new codes. The download is a `data:` link: it works without a script, and the server never gets the codes again.
 * @param options.isNew whether the second factor was turned on with them.
 */
export function recoveryCodesView(
  visit: AccountVisit,
  codes: readonly string[],
  { isNew }: { isNew: boolean },
): AccountView {
  const { me, name, words } = visit;
  const { recovery } = words;
  const owner = me.email ?? me.id;
  const file = [`${name} · ${owner}`, '', ...codes, ''].join('\r\n');
  const body = html`${isNew && html`<p class="banner good" role="status">${recovery.isOn}</p>`}
    <section class="panel codes-panel">
      <p>${recovery.saveLead}</p>
      <p class="on-paper">${recovery.owner(html`<bdi>${owner}</bdi>`, name)}</p>
      <ul class="codes" id="recovery-codes" dir="ltr">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <div class="buttons">
        <a
          class="button plain"
          href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}"
          download="${recovery.fileName}"
          >${recovery.download}</a
        >
        <button class="plain" type="button" data-copy="#recovery-codes" data-done="${words.copied}" hidden>
          ${words.copy}
        </button>
        <button class="plain" type="button" data-print hidden>${recovery.print}</button>
      </div>
      <div class="buttons">
        ${linkButton(visit, { path: at(visit, '/security'), label: recovery.saved, kind: 'primary' })}
      </div>
    </section>`;
  return { title: recovery.save, parent: parentOf(visit), body };
}

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });
