/** Keys and tokens: the API keys of the user, and the apps that are signed in. */
import {
  dotted,
  html,
  linkButton,
  pageLinks,
  panel,
  row,
  when,
  type AccountTemplatePage,
  type AccountTokensView,
  type Html,
} from '../template.js';
import { keyRows } from './key-rows.js';

export function accountTokens(page: AccountTemplatePage, { apps, keys }: AccountTokensView): Html {
  return html`${keys && keysPanel(page, keys)}${apps && appsPanel(page, apps)}`;
}

function keysPanel(page: AccountTemplatePage, keys: NonNullable<AccountTokensView['keys']>): Html {
  const { paths, words } = page;
  return panel({
    id: 'keys',
    title: words.tokens.keys,
    lead: words.tokens.keysLead,
    action: linkButton(page, { path: `${paths.account}/tokens/new`, label: words.tokens.create }),
    rows: keyRows(page, keys.list),
    empty: words.tokens.noKeys,
    body: pageLinks(page, keys.pages),
  });
}

function appsPanel(page: AccountTemplatePage, apps: NonNullable<AccountTokensView['apps']>): Html {
  const { words } = page;
  const rows = apps.list.map(({ createdAt, icon, lastUsedAt, name, signOutPath }) =>
    row({
      icon,
      title: html`<bdi>${name}</bdi>`,
      detail: dotted(
        words.devices.signedIn(when(page, createdAt)),
        lastUsedAt ? words.lastUsed(when(page, lastUsedAt)) : words.neverUsed,
      ),
      actions: linkButton(page, { path: signOutPath, label: words.tokens.revokeApp, about: name }),
    }),
  );
  return panel({
    id: 'apps',
    title: words.tokens.apps,
    lead: words.tokens.appsLead,
    rows,
    empty: words.tokens.noApps,
    body: pageLinks(page, apps.pages),
  });
}
