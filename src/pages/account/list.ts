/** Lists that are read page by page. */
import { html, type Html } from '../../html/html.js';
import type { PageRequest } from '../../core/support/pages.js';
import type { AccountVisit } from './page.js';

/** The most rows that a list returns. */
export const everyRow = { limit: 200 } as const;

/** Returns the requested page of a list. @param name of the parameter that contains its position. */
export function pageOf({ query }: AccountVisit, name: string): PageRequest {
  return { limit: 50, cursor: query.get(name) };
}

/** The links below a list to its next page and to its first one. */
export function pageLinks(
  { base, query, req, words }: AccountVisit,
  name: string,
  nextCursor: string | null,
): Html | null {
  const isFirst = !query.has(name);
  if (nextCursor === null && isFirst) return null;
  const target = base + req.path;
  return html`<p class="more">
    ${nextCursor !== null && html`<a href="${target}?${name}=${encodeURIComponent(nextCursor)}">${words.showMore}</a>`}
    ${!isFirst && html`<a href="${target}">${words.toFirstPage}</a>`}
  </p>`;
}
