/** The applications to which the user has given access, and what each of them may do. */
import {
  accountIcons,
  dotted,
  html,
  linkButton,
  panel,
  row,
  when,
  type AccountAppsView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountApps(page: AccountTemplatePage, { apps }: AccountAppsView): Html {
  const { words } = page;
  return panel({
    id: 'apps',
    title: words.apps.title,
    lead: words.apps.lead,
    rows: apps.map((app) => appRow(page, app)),
    empty: words.apps.none,
  });
}

function appRow(page: AccountTemplatePage, app: AccountAppsView['apps'][number]): Html {
  const { words } = page;
  const { createdAt, host, lastUsedAt, name, removePath, scopes } = app;
  return row({
    icon: accountIcons.app,
    title: html`<bdi>${name}</bdi>`,
    detail: dotted(
      host !== null && html`<bdi dir="ltr">${host}</bdi>`,
      words.added(when(page, createdAt)),
      lastUsedAt ? words.lastUsed(when(page, lastUsedAt)) : words.neverUsed,
    ),
    note: dotted(...scopes.map((scope) => html`<bdi>${scope}</bdi>`)),
    actions: linkButton(page, { path: removePath, label: words.apps.remove, about: name }),
  });
}
