/** The export of the account, and the way to its deletion. */
import { buttonForm, html, linkButton, panel, type AccountTemplatePage, type Html } from '../template.js';

export function accountData(page: AccountTemplatePage): Html {
  const { paths, words } = page;
  const { data } = words;
  return html`${panel({
    id: 'download',
    title: data.download,
    lead: data.downloadLead,
    // The response is a file, which the script cannot show.
    action: buttonForm(page, {
      action: `${paths.account}/data/download`,
      label: data.downloadSubmit,
      isPlain: true,
    }),
  })}
  ${panel({
    id: 'delete',
    title: data.delete,
    lead: data.deleteLead,
    action: linkButton(page, { path: `${paths.account}/data/delete`, label: data.delete, kind: 'danger' }),
    isDangerous: true,
  })}`;
}
