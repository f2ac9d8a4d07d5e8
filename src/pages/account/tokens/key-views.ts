/** The API keys in a list, of a user or of an organization. */
import type { PublicApiKey } from '../../../domain/api-key.js';
import { internals } from '../../../core/internals.js';
import type { ShownVisit } from '../page.js';
import type { AccountKeyView } from '../views.js';

/** @param revokePath returns the path of the page that revokes a key. Revoked keys are not shown. */
export function keyViews(
  { service }: ShownVisit,
  keys: readonly PublicApiKey[],
  revokePath: (id: string) => string,
): AccountKeyView[] {
  const now = service[internals].clock();
  return keys
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ id, name, prefix, scopes, createdAt, lastUsedAt, expiresAt }) => ({
      name,
      prefix,
      scopes,
      createdAt,
      lastUsedAt,
      expiresAt,
      isExpired: expiresAt !== null && !(now < expiresAt.getTime()),
      revokePath: revokePath(id),
    }));
}
