/** Lists that are read page by page. */
import type { PageRequest } from '../../core/support/pages.js';
import type { AccountVisit } from './page.js';
import type { ListPages } from './views.js';

/** The most rows that a list returns. */
export const everyRow = { limit: 200 } as const;

/** Returns the requested page of a list. @param name of the parameter that contains its position. */
export function pageOf({ query }: AccountVisit, name: string): PageRequest {
  return { limit: 50, cursor: query.get(name) };
}

/** Returns the paths of the next page of a list and of its first one. */
export function listPages({ query, req }: AccountVisit, name: string, nextCursor: string | null): ListPages {
  return {
    next: nextCursor === null ? null : `${req.path}?${name}=${encodeURIComponent(nextCursor)}`,
    first: query.has(name) ? req.path : null,
  };
}
