/** The rows of a list of API keys, of a user or of an organization. */
import {
  badge,
  dotted,
  html,
  linkButton,
  row,
  when,
  type AccountKeyView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function keyRows(page: AccountTemplatePage, keys: readonly AccountKeyView[]): Html[] {
  const { words } = page;
  return keys.map(({ name, prefix, scopes, createdAt, lastUsedAt, expiresAt, isExpired, revokePath }) =>
    row({
      title: html`<bdi>${name}</bdi> <code dir="ltr">${prefix}…</code> ${
          isExpired && badge(words.tokens.expired, 'warn')
        }`,
      detail: dotted(
        scopes.length > 0 && html`<bdi>${scopes.join(', ')}</bdi>`,
        words.created(when(page, createdAt)),
        lastUsedAt ? words.lastUsed(when(page, lastUsedAt)) : words.neverUsed,
        expiresAt && !isExpired && words.expires(when(page, expiresAt)),
      ),
      actions: linkButton(page, { path: revokePath, label: words.tokens.revoke, about: name }),
    }),
  );
}
