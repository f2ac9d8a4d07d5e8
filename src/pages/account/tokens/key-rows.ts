/** The rows of a list of API keys, of a user or of an organization. */
import type { PublicApiKey } from '../../../domain/api-key.js';
import { html, type Html } from '../../../html/html.js';
import { internals } from '../../../core/support/internals.js';
import type { ShownVisit } from '../page.js';
import { badge, dotted, linkButton, row, when } from '../parts.js';

/** @param revokePath returns the path of the page that revokes a key. Revoked keys are not shown. */
export function keyRows(
  visit: ShownVisit,
  keys: readonly PublicApiKey[],
  revokePath: (id: string) => string,
): Html[] {
  const { service, words } = visit;
  const now = service[internals].clock();
  return keys
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt }) => {
      const isExpired = expiresAt !== null && !(now < expiresAt.getTime());
      return row({
        title: html`<bdi>${name}</bdi> <code dir="ltr">${prefix}…</code> ${
            isExpired && badge(words.tokens.expired, 'warn')
          }`,
        detail: dotted(
          scopes.length > 0 && html`<bdi>${scopes.join(', ')}</bdi>`,
          words.created(when(visit, createdAt)),
          lastUsedAt ? words.lastUsed(when(visit, lastUsedAt)) : words.neverUsed,
          expiresAt && !isExpired && words.expires(when(visit, expiresAt)),
        ),
        actions: linkButton(visit, { path: revokePath(id), label: words.tokens.revoke, about: name }),
      });
    });
}
